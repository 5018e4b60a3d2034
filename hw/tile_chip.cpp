// SPDX-License-Identifier: Apache-2.0
#include "hw/tile_chip.h"

namespace podsim::hw {

TileChip::TileChip(sc_core::sc_module_name name, const Machine& machine, int number, CoreRuntime& runtime,
                   const Trace& trace, MemoryDetail memory)
    : Chip(name, machine, number, trace), memory_(make_chip_memory("memory", memory, machine, host(), trace)) {
  for (int index = 0; index < int(machine.cores_per_chip); ++index) {
    const std::string core_name = "core" + std::to_string(index);
    cores_.push_back(std::make_unique<TensorCore>(core_name.c_str(), machine, CoreId{number, index}, host(), runtime,
                                                  trace.below(core_name)));
    cores_.back()->dma().to_hbm.bind(memory_->from_dma(index));
  }
}

}  // namespace podsim::hw
