// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"
#include "sw/compiler/schedule_steps.h"

namespace podsim::sw::compiler {

/// Where a core waits for the end of a transfer.
enum class TransferEnd {
  when_read,  ///< before the first op that reads the result
  when_over,  ///< also behind the op during which it ends: what it reads is not kept for longer
};

/// Returns a computation with its transfers split into start and done, ordered as overlap.h says. The scheduler
/// considers the next step in the program's order and `look_ahead` behind it.
hlo::Computation scheduled(const hlo::Computation& computation, const std::vector<ScheduleStep>& steps, int look_ahead,
                           TransferEnd end);

}  // namespace podsim::sw::compiler
