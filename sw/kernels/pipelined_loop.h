// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hw/machine.h"
#include "sw/kernels/block.h"
#include "sw/kernels/list_scheduler.h"
#include "sw/kernels/region.h"

namespace podsim::sw {

/// A loop whose iterations overlap by modulo scheduling (modulo_scheduler.h), as blocks; targets count from the first
/// of them, and one behind the last is what follows the loop. With U iterations in the kernel, S stages and trips that
/// are known ahead:
///
///   prologue   the first S - 1 + r iterations begin, r = (trips - S + 1) mod U
///   kernel     U iterations begin in each of q = (trips - S + 1) / U passes, in U * interval bundles and the branch's
///              penalty
///   epilogue   the last S - 1 iterations end
///
/// U is at least as many intervals as a value lives, as every iteration in the kernel has registers of its own for its
/// values (modulo variable expansion), and as many as it takes to make the branch's penalty small. A loop of few trips
/// is written out. Trips in a register: r iterations, or all when there are fewer than S - 1 + U, run as a plain loop
/// first, and U is a power of two.
///
/// `plain_loop` is the body as a plain loop that counts down `plain_counter`: what overlapping must beat, and what runs
/// first if trips are in a register. Nothing if overlapping is slower or `registers_left` do not suffice.
struct LoopScope {
  const hw::Machine& machine;
  const Region& region;
  RegisterBudget registers_left{};
  const Block& plain_loop;
  Register plain_counter;
};
std::optional<BlockList> overlap_iterations(const LoopScope& scope, RegisterSource& registers);

}  // namespace podsim::sw
