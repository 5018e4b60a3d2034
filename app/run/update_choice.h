// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/run/compiled_step.h"
#include "sw/compiler/op_cache.h"
#include "sw/target_machine.h"

namespace podsim::app::run {

/// Compiles a step of which every core updates as large a shard of the weights as makes it fastest
/// (`--weight-update-sharding auto`). Considered are the whole update and, for cores that are all replicas, every size
/// of the groups that share it; on a mesh of the user's or the program's, every set of its axes. `program` is the step
/// before it is compiled.
///
/// Sizes of groups are ranked by sw/placement/shared_update.h. The whole update and the best three are compiled and
/// placed, and the one with the least sum of ops and collectives is returned, placed, with all in
/// CompiledStep::update_choice: the whole update, unless another one gains more than a hundredth of the step. The sum
/// leaves out that collectives overlap with other work, if they do. A way that does not fit the memory is left out; if
/// none fits, its OutOfMemory is thrown.
CompiledStep compile_with_best_update(const StepCompiler& program, const sw::TargetMachine& machine,
                                      sw::compiler::OpCache* cache);

}  // namespace podsim::app::run
