// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "hw/chip/chip.h"
#include "hw/chip/granule_transfers.h"
#include "hw/core/tensor_core.h"
#include "hw/memory/chip_memory.h"
#include "hw/timing/contended_op.h"

namespace podsim::hw::chip {

/// A chip at tile detail: TensorCores, each with its half of the HBM. With a memory of banks, whole transfers pass its
/// switch and banks in granules (granule_transfers.h), concurrently with those of ops.
class TileChip : public Chip {
 public:
  /// `trace.scope` names the chip, "chip(0,0)"; its cores are core0, core1 ... below.
  TileChip(sc_core::sc_module_name name, const Machine& machine, int number, core::CoreRuntime& runtime,
           const Trace& trace = {}, memory::MemoryDetail memory = memory::MemoryDetail::stream,
           const IciBinding& ici = {});

  int cores() const override { return int(cores_.size()); }
  core::TensorCore& core(int index) override { return *cores_[std::size_t(index)]; }
  const memory::ChipMemory& memory() const { return *memory_; }

 private:
  /// While the core runs an op, the claim moves concurrently with the op's own requests, at the rate that these leave
  /// (timing/contended_op.h).
  base::Time claim(base::Time now, int core, Direction direction, base::Bytes bytes) override;
  MoveEnd move(base::Time now, const Move& move) override;
  bool ends_known() const override { return granules_ == nullptr; }
  base::Time copy_latency() const override;
  /// Shows the sums of collectives that a core's vector unit does.
  base::Time compute(int core, base::Time ready, const VectorWork& work) override;
  bool follows_events() const override;
  void make_memory(memory::MemoryDetail detail, const Trace& trace);
  void move_beside(int core, const timing::HbmOccupancy::Claim& claim);
  void begin_op(int core, const TileOp& op);
  void end_op(int core);

  Machine machine_;
  std::deque<timing::ContendedOp> contended_;  ///< by core
  std::unique_ptr<memory::ChipMemory> memory_;
  std::unique_ptr<GranuleTransfers> granules_;  ///< with banks
  std::vector<std::shared_ptr<base::trace::StateTrace>>
      sums_;  ///< with banks: of collectives, by core; null: not shown
  std::vector<std::unique_ptr<core::TensorCore>> cores_;
};

}  // namespace podsim::hw::chip
