// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "sw/codegen/registers/block.h"
#include "sw/codegen/schedule/region.h"

namespace podsim::sw::codegen::schedule {

/// Degree to which a schedule reduces register pressure at the cost of speed. Level 0 comes first; higher levels have
/// fewer live values. At level `in_order` operations stay in the order in which they were written.
struct PressureLevel {
  int level = 0;
  static constexpr int in_order = 6;
};

/// Schedules a region. Returns its blocks; branch targets count from the first of them. A branch to another region has
/// no target yet.
registers::BlockList schedule_region(const hw::Machine& machine, const Region& region, PressureLevel caution,
                                     RegisterSource& registers);

}  // namespace podsim::sw::codegen::schedule
