// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/hbm_parameters.h"

#include "base/parameters/section.h"
#include "hw/parts/hbm/stream_range.h"

namespace podsim::hw::parts::hbm {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<Parameters> keys(
      "hbm", {
                 {"capacity_per_core",
                  &Parameters::capacity_per_core,
                  HbmCapacity{},
                  {ops, collectives, packets, banks, kernels, limits}},
                 {"reserved_per_core", &Parameters::reserved_per_core, AnySize{}, {ops, limits}},
                 {"stream_rate",
                  &Parameters::stream_rate,
                  Rate{min_stream_rate, "1 GB/s"},
                  {ops, collectives, packets, kernels}},
                 {"write_cost",
                  &Parameters::write_cost,
                  Real{min_write_cost, max_write_cost, "must be between 0.1 and 10"},
                  {ops, kernels}},
                 {"turnaround",
                  &Parameters::turnaround,
                  Real{0, max_turnaround, "must be between 0 and 10 bytes per byte"},
                  {ops, collectives, packets, kernels}},
             });
  return keys;
}

}  // namespace podsim::hw::parts::hbm
