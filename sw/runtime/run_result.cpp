// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/run_result.h"

namespace podsim::sw::runtime {

std::string to_string(Bound bound) {
  switch (bound) {
    case Bound::mxu:
      return "MXU";
    case Bound::vector:
      return "vector unit";
    case Bound::cross_lane:
      return "cross-lane unit";
    case Bound::hbm:
      return "HBM";
    case Bound::ici:
      return "ICI";
    case Bound::others:
      return "other cores";
    case Bound::host:
      return "host";
    case Bound::latency:
      break;
  }
  return "latency";
}

}  // namespace podsim::sw::runtime
