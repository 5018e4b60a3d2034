// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/tile_chip.h"

#include <algorithm>

#include "base/systemc/systemc_time.h"
#include "hw/chip/make_chip_memory.h"

namespace podsim::hw::chip {

TileChip::TileChip(sc_core::sc_module_name name, const Machine& machine, int number, core::CoreRuntime& runtime,
                   const Trace& trace, memory::MemoryDetail memory, const IciBinding& ici)
    : Chip(name, machine, number, trace, ici),
      machine_(machine),
      memory_(make_chip_memory("memory", memory, machine, host(), this->ici(), trace)) {
  for (int index = 0; index < int(machine.cores_per_chip); ++index) {
    contended_.emplace_back(machine_);
    const std::string core_name = "core" + std::to_string(index);
    cores_.push_back(std::make_unique<core::TensorCore>(core_name.c_str(), machine, core::CoreId{number, index},
                                                        runtime, trace.below(core_name)));
    cores_.back()->on_op([this, index](const TileOp* op) { op != nullptr ? begin_op(index, *op) : end_op(index); });
    cores_.back()->to_host().bind(host().queues);
    cores_.back()->dma().to_hbm.bind(memory_->from_dma(index));
  }
}

base::Time TileChip::claim(base::Time now, int core, Direction direction, base::Bytes bytes) {
  const base::Time end = Chip::claim(now, core, direction, bytes);
  if (contended_[std::size_t(core)].runs()) move_beside(core, occupancy(core).claims().back());
  return end;
}

void TileChip::move_beside(int core, const timing::HbmOccupancy::Claim& claim) {
  memory_->move_beside(core, claim.direction, claim.bytes, claim.from);
}

void TileChip::begin_op(int core, const TileOp& op) {
  if (!contended() || !memory_->shares_halves()) return;
  contended_[std::size_t(core)].begin(occupancy(core), base::systemc::now(), op);
  for (const timing::HbmOccupancy::Claim& claim : occupancy(core).claims()) move_beside(core, claim);
}

void TileChip::end_op(int core) {
  if (!contended_[std::size_t(core)].runs()) return;
  contended_[std::size_t(core)].finish();
  memory_->stop_beside(core);
}

/// The stream of an op's HBM takes what moves beside it at the simulated time.
bool TileChip::follows_events() const { return std::ranges::any_of(contended_, &timing::ContendedOp::runs); }

}  // namespace podsim::hw::chip
