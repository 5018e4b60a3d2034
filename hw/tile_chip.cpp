// SPDX-License-Identifier: Apache-2.0
#include "hw/tile_chip.h"

namespace podsim::hw {

TileChip::TileChip(sc_core::sc_module_name name, const Machine& machine, int number, CoreRuntime& runtime,
                   const Trace& trace)
    : Chip(name, machine, number, trace) {
  for (int index = 0; index < int(machine.cores_per_chip); ++index) {
    const std::string core_name = "core" + std::to_string(index);
    const Trace core_trace = trace.below(core_name);
    hbms_.push_back(std::make_unique<Hbm>(("hbm" + std::to_string(index)).c_str(), machine, core_trace.below("hbm")));
    cores_.push_back(
        std::make_unique<TensorCore>(core_name.c_str(), machine, CoreId{number, index}, host(), runtime, core_trace));
    cores_.back()->dma().to_hbm.bind(hbms_.back()->from_dma);
  }
}

}  // namespace podsim::hw
