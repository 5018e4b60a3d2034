// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/host/host_parameters.h"

#include "base/parameters/section.h"

namespace podsim::hw::parts::host {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<Parameters> keys(
      "host", {
                  {"pcie_rate", &Parameters::pcie_rate, Rate{}, {ops}},
                  {"pcie_latency", &Parameters::pcie_latency, Time{}, {ops}},
                  {"infeed_copy_rate", &Parameters::infeed_copy_rate, Rate{}, {ops}},
                  {"infeed_tensor_overhead", &Parameters::infeed_tensor_overhead, Time{}, {ops}},
                  {"infeed_queue_depth", &Parameters::infeed_queue_depth, positive(), {ops}},
                  {"outfeed_queue_depth", &Parameters::outfeed_queue_depth, positive(), {ops}},
                  {"batch_interval", &Parameters::batch_interval, Time{}, {ops}},
              });
  return keys;
}

}  // namespace podsim::hw::parts::host
