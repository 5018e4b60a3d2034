// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/schedule.h"

#include <algorithm>

#include <fmt/format.h>

namespace podsim::hlo::pipeline {
namespace {

/// What tasks make of a chunk and a micro-batch. A whole backward computation makes both kinds of gradients.
enum Result { output, input_gradients, weight_gradients, result_kinds };

std::vector<Result> results_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return {output};
    case Phase::backward:
      return {input_gradients, weight_gradients};
    case Phase::backward_input:
      return {input_gradients};
    case Phase::backward_weight:
      return {weight_gradients};
  }
  return {};
}

std::string_view name_of(Result result) {
  constexpr std::string_view names[] = {"the forward computation", "the gradients of the inputs",
                                        "the gradients of the weights"};
  return names[result];
}

struct NeededResult {
  Result result = output;
  std::int64_t chunk = 0;
};

/// The results for the task's micro-batch that it needs.
std::vector<NeededResult> needs_of(const Task& task, std::int64_t chunks) {
  if (task.phase == Phase::backward_weight) return {{input_gradients, task.chunk}};
  std::vector<NeededResult> needs;
  if (task.phase == Phase::forward) {
    if (task.chunk > 0) needs.push_back({output, task.chunk - 1});
    return needs;
  }
  needs.push_back({output, task.chunk});
  if (task.chunk + 1 < chunks) needs.push_back({input_gradients, task.chunk + 1});
  return needs;
}

/// What has been made, by kind of result, chunk and micro-batch.
class Made {
 public:
  explicit Made(const Schedule& schedule)
      : schedule_(schedule),
        made_(std::size_t(result_kinds) * std::size_t(schedule.chunks * schedule.microbatches), false) {}

  std::vector<bool>::reference operator()(Result result, std::int64_t chunk, std::int64_t microbatch) {
    return made_[std::size_t((std::int64_t(result) * schedule_.chunks + chunk) * schedule_.microbatches + microbatch)];
  }

 private:
  const Schedule& schedule_;
  std::vector<bool> made_;
};

std::optional<ScheduleFault> range_fault(const Schedule& schedule) {
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    for (std::size_t i = 0; i < schedule.stages[stage].size(); ++i) {
      const Task& task = schedule.stages[stage][i];
      if (task.chunk < 0 || task.chunk >= schedule.chunks) {
        return ScheduleFault{fmt::format("there is no chunk {}: the last is {}", task.chunk, schedule.chunks - 1),
                             {stage, i}};
      }
      if (task.microbatch < 0 || task.microbatch >= schedule.microbatches) {
        return ScheduleFault{
            fmt::format("there is no micro-batch {}: the last is {}", task.microbatch, schedule.microbatches - 1),
            {stage, i}};
      }
    }
  }
  return std::nullopt;
}

/// A result that is made twice, a chunk on two stages, or a result that is missing.
std::optional<ScheduleFault> count_fault(const Schedule& schedule) {
  Made made(schedule);
  std::vector<std::int64_t> stage_of_chunk(std::size_t(schedule.chunks), -1);
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    for (std::size_t i = 0; i < schedule.stages[stage].size(); ++i) {
      const Task& task = schedule.stages[stage][i];
      std::int64_t& owner = stage_of_chunk[std::size_t(task.chunk)];
      if (owner < 0) owner = std::int64_t(stage);
      if (owner != std::int64_t(stage)) {
        return ScheduleFault{fmt::format("chunk {} is computed on stage {} already", task.chunk, owner), {stage, i}};
      }
      for (const Result result : results_of(task.phase)) {
        auto already = made(result, task.chunk, task.microbatch);
        if (already) {
          return ScheduleFault{fmt::format("{} of micro-batch {} by chunk {} would be computed twice", name_of(result),
                                           task.microbatch, task.chunk),
                               {stage, i}};
        }
        already = true;
      }
    }
  }
  for (std::int64_t chunk = 0; chunk < schedule.chunks; ++chunk) {
    for (std::int64_t microbatch = 0; microbatch < schedule.microbatches; ++microbatch) {
      for (const Result result : {output, input_gradients, weight_gradients}) {
        if (made(result, chunk, microbatch)) continue;
        const std::size_t stage = std::size_t(std::max<std::int64_t>(0, stage_of_chunk[std::size_t(chunk)]));
        const std::size_t tasks = schedule.stages.empty() ? 0 : schedule.stages[stage].size();
        return ScheduleFault{
            fmt::format("{} of micro-batch {} by chunk {} is missing", name_of(result), microbatch, chunk),
            {stage, tasks == 0 ? 0 : tasks - 1}};
      }
    }
  }
  return std::nullopt;
}

/// Computes tasks in rounds until no stage can go on. In a round, a stage computes one task at most, from the results
/// of earlier rounds.
class Rounds {
 public:
  explicit Rounds(const Schedule& schedule) : schedule_(schedule), made_(schedule), next_(schedule.stages.size(), 0) {
    while (round()) {
    }
  }

  const std::vector<TaskPosition>& order() const { return order_; }

  /// The first stage that cannot compute its next task, and why.
  std::optional<ScheduleFault> blocked() {
    for (std::size_t stage = 0; stage < next_.size(); ++stage) {
      if (next_[stage] == schedule_.stages[stage].size()) continue;
      const Task& task = schedule_.stages[stage][next_[stage]];
      const std::optional<NeededResult> need = missing(task);
      if (!need) continue;
      return ScheduleFault{
          fmt::format("{} waits forever for {} of micro-batch {} by chunk {}", to_string(task, std::int64_t(stage)),
                      name_of(need->result), task.microbatch, need->chunk),
          {stage, next_[stage]}};
    }
    return std::nullopt;
  }

 private:
  bool round() {
    std::vector<TaskPosition> ready;
    for (std::size_t stage = 0; stage < next_.size(); ++stage) {
      const std::vector<Task>& tasks = schedule_.stages[stage];
      if (next_[stage] < tasks.size() && !missing(tasks[next_[stage]])) ready.push_back({stage, next_[stage]});
    }
    for (const TaskPosition& at : ready) {
      const Task& task = schedule_.stages[at.stage][at.position];
      for (const Result result : results_of(task.phase)) made_(result, task.chunk, task.microbatch) = true;
      ++next_[at.stage];
      order_.push_back(at);
    }
    return !ready.empty();
  }

  std::optional<NeededResult> missing(const Task& task) {
    for (const NeededResult& need : needs_of(task, schedule_.chunks)) {
      if (!made_(need.result, need.chunk, task.microbatch)) return need;
    }
    return std::nullopt;
  }

  const Schedule& schedule_;
  Made made_;
  std::vector<std::size_t> next_;  ///< by stage: position of its next task
  std::vector<TaskPosition> order_;
};

}  // namespace

char letter(Phase phase) { return "FBIW"[int(phase)]; }

std::string to_string(const Task& task, std::int64_t stage) {
  const std::string text = letter(task.phase) + std::to_string(task.microbatch);
  return task.chunk == stage ? text : text + "." + std::to_string(task.chunk);
}

std::optional<ScheduleFault> find_fault(const Schedule& schedule) {
  if (auto fault = range_fault(schedule)) return fault;
  if (auto fault = count_fault(schedule)) return fault;
  return Rounds(schedule).blocked();
}

Dependences::Dependences(const Schedule& schedule)
    : schedule_(schedule), positions_(std::size_t(2 * schedule.chunks * schedule.microbatches)) {
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    for (std::size_t i = 0; i < schedule.stages[stage].size(); ++i) {
      const Task& task = schedule.stages[stage][i];
      for (const Result result : results_of(task.phase)) {
        if (result == weight_gradients) continue;  // no task needs them
        positions_[std::size_t((result * schedule.chunks + task.chunk) * schedule.microbatches + task.microbatch)] = {
            stage, i};
      }
    }
  }
}

std::vector<TaskPosition> Dependences::of(const Task& task) const {
  std::vector<TaskPosition> positions;
  for (const NeededResult& need : needs_of(task, schedule_.chunks)) {
    positions.push_back(positions_[std::size_t((need.result * schedule_.chunks + need.chunk) * schedule_.microbatches +
                                               task.microbatch)]);
  }
  return positions;
}

std::vector<TaskPosition> rounds_in_order(const Schedule& schedule) { return Rounds(schedule).order(); }

std::vector<std::int64_t> stage_of_chunks(const Schedule& schedule) {
  std::vector<std::int64_t> stages(std::size_t(schedule.chunks), 0);
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    for (const Task& task : schedule.stages[stage]) stages[std::size_t(task.chunk)] = std::int64_t(stage);
  }
  return stages;
}

}  // namespace podsim::hlo::pipeline
