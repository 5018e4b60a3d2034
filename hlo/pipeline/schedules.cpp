// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/schedules.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"

namespace podsim::hlo::pipeline {

Schedule gpipe(std::int64_t stages, std::int64_t microbatches) {
  Schedule schedule{stages, microbatches, {}};
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    std::vector<Task>& tasks = schedule.stages.emplace_back();
    for (std::int64_t m = 0; m < microbatches; ++m) tasks.push_back({Phase::forward, stage, m});
    for (std::int64_t m = microbatches; m-- > 0;) tasks.push_back({Phase::backward, stage, m});
  }
  return schedule;
}

Schedule one_f_one_b(std::int64_t stages, std::int64_t microbatches) {
  Schedule schedule{stages, microbatches, {}};
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    std::vector<Task>& tasks = schedule.stages.emplace_back();
    const std::int64_t first = std::min(microbatches, stages - stage - 1);
    for (std::int64_t m = 0; m < first; ++m) tasks.push_back({Phase::forward, stage, m});
    for (std::int64_t m = 0; m < microbatches; ++m) {
      if (first + m < microbatches) tasks.push_back({Phase::forward, stage, first + m});
      tasks.push_back({Phase::backward, stage, m});
    }
  }
  return schedule;
}

Schedule interleaved(std::int64_t stages, std::int64_t microbatches, std::int64_t chunks_per_stage) {
  if (microbatches % stages != 0) {
    throw base::InputError(
        fmt::format("the interleaved schedule takes {} micro-batches through a chunk at a time, and {} is no multiple",
                    stages, microbatches));
  }
  Schedule schedule{stages * chunks_per_stage, microbatches, {}};
  const std::int64_t total = chunks_per_stage * microbatches;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    // Entry i of the forward computations of a stage; the backward ones visit its chunks from the last to the first.
    const auto task = [&](Phase phase, std::int64_t i) {
      const std::int64_t round = i % (stages * chunks_per_stage) / stages;
      const std::int64_t chunk = phase == Phase::forward ? round : chunks_per_stage - 1 - round;
      return Task{phase, chunk * stages + stage, i / (stages * chunks_per_stage) * stages + i % stages};
    };
    std::vector<Task>& tasks = schedule.stages.emplace_back();
    const std::int64_t first = std::min(total, 2 * (stages - stage - 1) + (chunks_per_stage - 1) * stages);
    for (std::int64_t i = 0; i < first; ++i) tasks.push_back(task(Phase::forward, i));
    for (std::int64_t i = 0; i < total; ++i) {
      if (first + i < total) tasks.push_back(task(Phase::forward, first + i));
      tasks.push_back(task(Phase::backward, i));
    }
  }
  return schedule;
}

Schedule zero_bubble(std::int64_t stages, std::int64_t microbatches) {
  Schedule schedule{stages, microbatches, {}};
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    std::vector<Task>& tasks = schedule.stages.emplace_back();
    std::int64_t forward = 0, input = 0, weight = 0;
    const auto add = [&](Phase phase, std::int64_t& next) { tasks.push_back({phase, stage, next++}); };
    while (forward < std::min(microbatches, stages - stage - 1)) add(Phase::forward, forward);
    while (input < microbatches) {
      const bool is_last_part = forward == microbatches;
      if (!is_last_part) add(Phase::forward, forward);
      add(Phase::backward_input, input);
      if (is_last_part || forward - weight >= stages) add(Phase::backward_weight, weight);
    }
    while (weight < microbatches) add(Phase::backward_weight, weight);
  }
  return schedule;
}

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names{"gpipe", "1f1b", "interleaved", "zero-bubble"};
  return names;
}

Schedule schedule_by_name(std::string_view name, std::int64_t stages, std::int64_t microbatches,
                          std::optional<std::int64_t> chunks_per_stage) {
  if (stages < 1 || microbatches < 1 || chunks_per_stage.value_or(1) < 1) {
    throw base::InputError("a pipeline has at least one stage, one micro-batch and one chunk on a stage");
  }
  if (std::ranges::find(schedule_names(), name) == schedule_names().end()) {
    const std::string close = base::did_you_mean(name, schedule_names());
    throw base::InputError(fmt::format("there is no schedule '{}'", name),
                           close.empty()
                               ? fmt::format("schedules are {}, or a file NAME.toml", fmt::join(schedule_names(), ", "))
                               : close);
  }
  if (name == "interleaved") return interleaved(stages, microbatches, chunks_per_stage.value_or(2));
  if (chunks_per_stage.value_or(1) != 1) {
    throw base::InputError(fmt::format("a stage has one chunk in the schedule {}", name),
                           "several are in the schedule interleaved, or in one of a file");
  }
  if (name == "gpipe") return gpipe(stages, microbatches);
  if (name == "1f1b") return one_f_one_b(stages, microbatches);
  return zero_bubble(stages, microbatches);
}

}  // namespace podsim::hlo::pipeline
