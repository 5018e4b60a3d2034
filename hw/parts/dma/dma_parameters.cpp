// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/dma/dma_parameters.h"

#include "base/parameters/section.h"
#include "hw/parts/hbm/stream_range.h"

namespace podsim::hw::parts::dma {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<Parameters> keys(
      "dma", {
                 {"outstanding_granules",
                  &Parameters::granules,
                  hbm::outstanding_granules(),
                  {ops, collectives, packets, banks, chip, kernels}},
                 {"read_latency", &Parameters::read_latency, CoveringCycles{}, {ops, collectives, packets, kernels}},
                 {"write_latency", &Parameters::write_latency, CoveringCycles{}, {ops, collectives, packets, kernels}},
                 {"issue_interval_cycles", &Parameters::issue_interval, cycles(0), {ops, kernels}},
                 {"queue_depth", &Parameters::queue_depth, positive(), {ops, kernels}},
             });
  return keys;
}

}  // namespace podsim::hw::parts::dma
