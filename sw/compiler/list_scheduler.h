// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"
#include "sw/compiler/schedule_steps.h"

namespace podsim::sw::compiler {

/// Returns a computation with its transfers split into start and done, ordered as overlap.h says. The scheduler
/// considers the next step in the program's order and `look_ahead` behind it.
hlo::Computation scheduled(const hlo::Computation& computation, const std::vector<ScheduleStep>& steps, int look_ahead);

}  // namespace podsim::sw::compiler
