// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "hw/chip/chip.h"
#include "hw/chip/replay_core.h"

namespace podsim::hw::chip {

/// A chip at replay detail: its cores have only durations. Thousands of such chips elaborate in a fraction of a second.
class ReplayChip : public Chip {
 public:
  /// `machine` must outlive the chip; all chips share it.
  ReplayChip(sc_core::sc_module_name name, const Machine& machine, int number, core::CoreRuntime& runtime,
             const Trace& trace = {}, const IciBinding& ici = {}, const noc::ChipSpeed& speed = {});

  int cores() const override { return int(cores_.size()); }
  ReplayCore& core(int index) override { return cores_[std::size_t(index)]; }

 private:
  std::deque<ReplayCore> cores_;
};

}  // namespace podsim::hw::chip
