// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/units.h"
#include "hlo/pipeline/schedule.h"

/// The times of a schedule's tasks, if every computation of a chunk takes a given time: the longest path through the
/// dependences. What a task needs from another stage arrives `transfer` after it is made; transfers delay nothing else.
namespace podsim::hlo::pipeline {

/// Times of a chunk for a micro-batch. A whole backward computation takes the sum of its two parts.
struct ChunkTimes {
  base::Duration forward, backward_input, backward_weight;
};

struct TaskTime {
  base::Duration begin, end;
};

struct Timeline {
  std::vector<std::vector<TaskTime>> stages;  ///< times of the tasks of every stage, in its order
  base::Duration makespan;

  /// Share of the makespan in which a stage computes nothing.
  double idle_share(std::size_t stage) const;
};

/// `times` has an entry for every chunk. Requires a schedule without a fault.
Timeline timeline(const Schedule& schedule, std::span<const ChunkTimes> times, base::Duration transfer);

/// By stage: the most activations, in chunks of a micro-batch, that it keeps at a time: from a forward computation to
/// the end of the gradients of the weights.
std::vector<std::int64_t> peak_activations(const Schedule& schedule);

}  // namespace podsim::hlo::pipeline
