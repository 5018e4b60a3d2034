// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/timeline.h"

#include <algorithm>

namespace podsim::hlo::pipeline {
namespace {

base::Duration time_of(Phase phase, const ChunkTimes& times) {
  switch (phase) {
    case Phase::forward:
      return times.forward;
    case Phase::backward:
      return times.backward_input + times.backward_weight;
    case Phase::backward_input:
      return times.backward_input;
    case Phase::backward_weight:
      return times.backward_weight;
  }
  return {};
}

}  // namespace

double Timeline::idle_share(std::size_t stage) const {
  base::Duration busy;
  for (const TaskTime& task : stages[stage]) busy = busy + (task.end - task.begin);
  return 1 - busy / makespan;
}

Timeline timeline(const Schedule& schedule, std::span<const ChunkTimes> times, base::Duration transfer) {
  Timeline result;
  for (const std::vector<Task>& tasks : schedule.stages) result.stages.emplace_back(tasks.size());
  const Dependences dependences(schedule);
  for (const TaskPosition& at : rounds_in_order(schedule)) {
    const Task& task = schedule.stages[at.stage][at.position];
    std::vector<TaskTime>& own = result.stages[at.stage];
    base::Duration begin = at.position == 0 ? base::Duration() : own[at.position - 1].end;
    for (const TaskPosition& needed : dependences.of(task)) {
      const base::Duration made = result.stages[needed.stage][needed.position].end;
      begin = std::max(begin, needed.stage == at.stage ? made : made + transfer);
    }
    own[at.position] = {begin, begin + time_of(task.phase, times[std::size_t(task.chunk)])};
    result.makespan = std::max(result.makespan, own[at.position].end);
  }
  return result;
}

std::vector<std::int64_t> peak_activations(const Schedule& schedule) {
  std::vector<std::int64_t> peaks;
  for (const std::vector<Task>& tasks : schedule.stages) {
    std::int64_t kept = 0, most = 0;
    for (const Task& task : tasks) {
      if (task.phase == Phase::forward) most = std::max(most, ++kept);
      if (task.phase == Phase::backward || task.phase == Phase::backward_weight) --kept;
    }
    peaks.push_back(most);
  }
  return peaks;
}

}  // namespace podsim::hlo::pipeline
