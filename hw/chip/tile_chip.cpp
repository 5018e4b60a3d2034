// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/tile_chip.h"

#include <algorithm>

#include "base/systemc/systemc_time.h"
#include "hw/memory/banks/bank_memory.h"
#include "hw/memory/stream_memory.h"

namespace podsim::hw::chip {

TileChip::TileChip(sc_core::sc_module_name name, const Machine& machine, int number, core::CoreRuntime& runtime,
                   const Trace& trace, memory::MemoryDetail memory, const IciBinding& ici)
    : Chip(name, machine, number, trace, ici, {}, memory), machine_(machine) {
  make_memory(memory, trace);
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

void TileChip::make_memory(memory::MemoryDetail detail, const Trace& trace) {
  if (detail == memory::MemoryDetail::stream) {
    memory_ = std::make_unique<memory::StreamMemory>("memory", machine_, trace);
    return;
  }
  auto banks = std::make_unique<memory::banks::BankMemory>("memory", machine_, host(), trace);
  if (ici() != nullptr) banks->connect(*ici());
  granules_ = std::make_unique<GranuleTransfers>(machine_, *banks);
  host().carry_by(*granules_);
  memory_ = std::move(banks);
  for (int core = 0; core < int(machine_.cores_per_chip); ++core) {
    sums_.push_back(trace.below("core" + std::to_string(core)).below("vector").below("collective").states());
  }
}

MoveEnd TileChip::move(base::Time now, const Move& move) {
  return granules_ != nullptr ? granules_->move(now, move) : Chip::move(now, move);
}

base::Time TileChip::copy_latency() const {
  return granules_ != nullptr ? granules_->copy_latency() : Chip::copy_latency();
}

base::Time TileChip::compute(int core, base::Time ready, const VectorWork& work) {
  const base::Time end = Chip::compute(core, ready, work);
  if (!sums_.empty() && sums_[std::size_t(core)] != nullptr) {
    sums_[std::size_t(core)]->show({{end - claims().compute_time(work), "add"}}, end);
  }
  return end;
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

/// A concurrent transfer enters the HBM stream of an op at the simulated time, not ahead of it.
bool TileChip::follows_events() const { return std::ranges::any_of(contended_, &timing::ContendedOp::runs); }

}  // namespace podsim::hw::chip
