// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/tile_chip.h"

#include <algorithm>

#include "hw/chip/make_chip_memory.h"

namespace podsim::hw::chip {

TileChip::TileChip(sc_core::sc_module_name name, const Machine& machine, int number, core::CoreRuntime& runtime,
                   const Trace& trace, memory::MemoryDetail memory, const IciBinding& ici)
    : Chip(name, machine, number, trace, ici),
      memory_(make_chip_memory("memory", memory, machine, host(), this->ici(), trace)) {
  for (int index = 0; index < int(machine.cores_per_chip); ++index) {
    const std::string core_name = "core" + std::to_string(index);
    cores_.push_back(std::make_unique<core::TensorCore>(core_name.c_str(), machine, core::CoreId{number, index},
                                                        runtime, trace.below(core_name)));
    cores_.back()->to_host().bind(host().queues);
    cores_.back()->dma().to_hbm.bind(memory_->from_dma(index));
  }
}

base::Time TileChip::claim(base::Time now, int core, Direction direction, base::Bytes bytes) {
  const bool op_waits =
      contended() && cores_[std::size_t(core)]->runs_op() && memory_->move_beside(core, direction, bytes);
  occupancy(core).set_share(op_waits ? 0.5 : 1);
  return Chip::claim(now, core, direction, bytes);
}

/// The stream of an op's HBM takes what moves beside it at the simulated time.
bool TileChip::follows_events() const {
  return contended() && std::ranges::any_of(cores_, [](const auto& core) { return core->runs_op(); });
}

}  // namespace podsim::hw::chip
