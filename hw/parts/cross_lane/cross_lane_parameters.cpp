// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/cross_lane/cross_lane_parameters.h"

#include "base/parameters/section.h"
#include "hw/parts/unit_ranges.h"

namespace podsim::hw::parts::cross_lane {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<Parameters> keys(
      "cross_lane", {
                        {"interval_cycles", &Parameters::interval, unit_cycles(1), {ops, kernels}},
                        {"latency_cycles", &Parameters::latency, unit_cycles(1), {kernels}},
                        {"result_fifo_registers", &Parameters::result_fifo, positive(max_fifo), {kernels}},
                    });
  return keys;
}

}  // namespace podsim::hw::parts::cross_lane
