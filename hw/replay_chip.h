// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "hw/chip.h"
#include "hw/replay_core.h"

namespace podsim::hw {

/// A chip at replay detail: cores that know durations and nothing else. Thousands of them elaborate in a fraction of a
/// second.
class ReplayChip : public Chip {
 public:
  /// `machine` outlives the chip; all chips share it.
  ReplayChip(sc_core::sc_module_name name, const Machine& machine, int number, CoreRuntime& runtime,
             const Trace& trace = {});

  int cores() const override { return int(cores_.size()); }
  ReplayCore& core(int index) override { return cores_[std::size_t(index)]; }

 private:
  std::deque<ReplayCore> cores_;
};

}  // namespace podsim::hw
