// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "hw/chip/chip.h"
#include "hw/core/tensor_core.h"
#include "hw/memory/chip_memory.h"

namespace podsim::hw::chip {

/// A chip at tile detail: TensorCores, each with its half of the HBM.
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
  /// While the core runs an op, the claim also slows the op's own streams, at stream level.
  base::Time claim(base::Time now, int core, Direction direction, base::Bytes bytes) override;
  bool follows_events() const override;

  std::unique_ptr<memory::ChipMemory> memory_;
  std::vector<std::unique_ptr<core::TensorCore>> cores_;
};

}  // namespace podsim::hw::chip
