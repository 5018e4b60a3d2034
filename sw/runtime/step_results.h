// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/compiler/program.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/pod/fold.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/waits/running_collectives.h"

/// Sums over the items of one step of one core.
namespace podsim::sw::runtime {

std::vector<LoopResult> loop_results(const compiler::Program& program, const std::vector<ItemResult>& items);

std::vector<ContentionResult> contention_results(const std::vector<ItemResult>& items);

/// Adds up equal collectives, within a loop or not, in the order in which the step reaches them.
std::vector<CollectiveResult> collective_results(const compiler::Program& program, const std::vector<ItemResult>& items,
                                                 const pod::CollectiveSchedules& schedules, const pod::Fold& fold,
                                                 const waits::RunningCollectives& collectives);

}  // namespace podsim::sw::runtime
