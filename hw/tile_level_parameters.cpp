// SPDX-License-Identifier: Apache-2.0
#include "hw/tile_level_parameters.h"

#include "base/parameters/section.h"

namespace podsim::hw {

const base::parameters::Section<TileLevelParameters>& TileLevelParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  using Code = TileLevelParameters;
  static const base::parameters::Section<Code> keys(
      "tile_level", {
                        {"tile_cycles", &Code::tile, cycles(0), {ops, kernels}},
                        {"transfer_cycles", &Code::transfer, cycles(0), {ops, kernels}},
                        {"vector_loop_cycles", &Code::vector_loop, cycles(0), {ops, collectives, packets, kernels}},
                        {"matrix_phase_cycles", &Code::matrix_phase, cycles(0), {ops, kernels}},
                        {"cross_lane_phase_cycles", &Code::cross_lane_phase, cycles(0), {ops, kernels}},
                    });
  return keys;
}

}  // namespace podsim::hw
