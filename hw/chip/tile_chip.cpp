// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/tile_chip.h"

#include "base/systemc/systemc_time.h"
#include "hw/chip/make_chip_memory.h"

namespace podsim::hw::chip {

TileChip::TileChip(sc_core::sc_module_name name, const Machine& machine, int number, core::CoreRuntime& runtime,
                   const Trace& trace, memory::MemoryDetail memory, const IciBinding& ici)
    : Chip(name, machine, number, trace, ici),
      machine_clock_(machine.clock),
      memory_(make_chip_memory("memory", memory, machine, host(), this->ici(), trace)) {
  for (int index = 0; index < int(machine.cores_per_chip); ++index) {
    const std::string core_name = "core" + std::to_string(index);
    cores_.push_back(std::make_unique<core::TensorCore>(core_name.c_str(), machine, core::CoreId{number, index}, host(),
                                                        runtime, trace.below(core_name)));
    cores_.back()->dma().to_hbm.bind(memory_->from_dma(index));
  }
}

base::Time TileChip::claim(int core, Direction direction, base::Bytes bytes) {
  if (!cores_[std::size_t(core)]->runs_op()) return Chip::claim(core, direction, bytes);
  const base::Cycles requests = memory_->move_beside(core, direction, bytes);
  return occupancy(core).claim(base::systemc::now(), direction, bytes, machine_clock_.time_of(requests));
}

}  // namespace podsim::hw::chip
