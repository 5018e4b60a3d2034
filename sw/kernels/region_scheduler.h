// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "sw/kernels/block.h"
#include "sw/kernels/region.h"

namespace podsim::sw {

/// How far a schedule may go for speed at the cost of registers: 0 first; the greater, the fewer values are alive. From
/// `in_order` on, operations are issued as they were written.
struct Caution {
  int level = 0;
  static constexpr int in_order = 6;
};

/// Blocks of a region; targets count from the first of them. A branch to another region has no target yet.
BlockList schedule_region(const hw::Machine& machine, const Region& region, Caution caution, RegisterSource& registers);

}  // namespace podsim::sw
