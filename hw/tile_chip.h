// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "hw/chip.h"
#include "hw/chip_memory.h"
#include "hw/tensor_core.h"

namespace podsim::hw {

/// A chip at tile detail: TensorCores, each with its half of the HBM.
class TileChip : public Chip {
 public:
  /// `trace.scope` names the chip, "chip(0,0)"; its cores are core0, core1 ... below.
  TileChip(sc_core::sc_module_name name, const Machine& machine, int number, CoreRuntime& runtime,
           const Trace& trace = {}, MemoryDetail memory = MemoryDetail::stream);

  int cores() const override { return int(cores_.size()); }
  TensorCore& core(int index) override { return *cores_[std::size_t(index)]; }
  const ChipMemory& memory() const { return *memory_; }

 private:
  std::unique_ptr<ChipMemory> memory_;
  std::vector<std::unique_ptr<TensorCore>> cores_;
};

}  // namespace podsim::hw
