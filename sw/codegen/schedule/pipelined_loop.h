// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hw/machine.h"
#include "sw/codegen/registers/block.h"
#include "sw/codegen/schedule/list_scheduler.h"
#include "sw/codegen/schedule/region.h"

namespace podsim::sw::codegen::schedule {

/// Overlaps the iterations of a loop by modulo scheduling (sw/codegen/schedule/modulo_scheduler.h). Returns the blocks
/// of the loop. Branch targets count from the first of them; the number after the last block refers to the code after
/// the loop. With U iterations in the loop's kernel, S pipeline stages of its schedule, and a trip count that is known
/// ahead:
///
///   prologue   the first S - 1 + r iterations begin, r = (trips - S + 1) mod U
///   kernel     U iterations begin in each of q = (trips - S + 1) / U passes, in U * interval bundles and the branch's
///              penalty
///   epilogue   the last S - 1 iterations end
///
/// U is at least the longest lifetime of a value in intervals, since every iteration in the kernel has separate
/// registers for its values (modulo variable expansion). U is also large enough to make the branch's penalty small. A
/// loop of few trips is unrolled completely. If the trip count is in a register, r iterations, or all if there are
/// fewer than S - 1 + U, run as a plain loop first, and U is a power of two.
///
/// `plain_loop` is the body as a plain loop that counts down `plain_counter`. It sets the time that overlapping must
/// beat, and it runs first if the trip count is in a register. Returns std::nullopt if overlapping is slower or
/// `registers_left` does not suffice.
struct LoopScope {
  const hw::Machine& machine;
  const Region& region;
  RegisterBudget registers_left{};
  const registers::Block& plain_loop;
  registers::Register plain_counter;
};
std::optional<registers::BlockList> overlap_iterations(const LoopScope& scope, RegisterSource& registers);

}  // namespace podsim::sw::codegen::schedule
