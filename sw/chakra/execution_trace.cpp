// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/execution_trace.h"

#include <array>

namespace podsim::sw::chakra {

std::string to_string(CommType type) {
  static const std::array<const char*, std::size_t(comm_types)> names{
      "all-reduce", "reduce",         "all-gather",           "gather", "scatter", "broadcast",
      "all-to-all", "reduce-scatter", "reduce-scatter-block", "barrier"};
  return names[std::size_t(type)];
}

}  // namespace podsim::sw::chakra
