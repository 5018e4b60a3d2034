// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Schedules of pipelines as data: which stage computes what, in which order.
///
/// A model is divided into chunks, which follow each other, and a batch into micro-batches. A stage (a device) computes
/// the tasks of its list one after the other; it waits for what a task needs. One chunk runs on each stage, or several
/// (virtual stages, Narayanan et al. 2021).
namespace podsim::hlo::pipeline {

/// The computations of a chunk for a micro-batch. A backward computation is one task, `backward`, or two:
/// `backward_input` computes the gradients of the chunk's inputs, `backward_weight` those of its weights (Qi et al.
/// 2023).
enum class Phase { forward, backward, backward_input, backward_weight };

struct Task {
  Phase phase = Phase::forward;
  std::int64_t chunk = 0, microbatch = 0;
  bool operator==(const Task&) const = default;
};

struct Schedule {
  std::int64_t chunks = 0, microbatches = 0;
  std::vector<std::vector<Task>> stages;  ///< tasks of each stage in its order
  bool operator==(const Schedule&) const = default;
};

/// The letter of a phase in a text: F, B, I, W.
char letter(Phase phase);
/// "F3.1": forward computation of micro-batch 3 by chunk 1. The chunk is left out if it has the stage's number.
std::string to_string(const Task& task, std::int64_t stage);

/// A task by its stage and its position in the stage's list.
struct TaskPosition {
  std::size_t stage = 0, position = 0;
  bool operator==(const TaskPosition&) const = default;
};

/// Why a schedule computes no step, and the task at which that shows.
struct ScheduleFault {
  std::string message;
  TaskPosition at;
};

/// Tells whether every chunk of every micro-batch has a forward computation and a backward one, or its two parts, each
/// once; whether all of a chunk is on one stage; and whether all tasks can be computed in the order of their stages. A
/// forward computation needs that of the chunk before, a backward one the forward computation of its chunk and the
/// gradient from the chunk behind, the gradients of weights those of the inputs. std::nullopt: no fault.
std::optional<ScheduleFault> find_fault(const Schedule& schedule);

/// The tasks whose results a task needs. Requires a schedule without a fault.
class Dependences {
 public:
  explicit Dependences(const Schedule& schedule);
  std::vector<TaskPosition> of(const Task& task) const;

 private:
  const Schedule& schedule_;
  std::vector<TaskPosition> positions_;  ///< by result: forward, gradients of inputs, chunk by chunk
};

/// All tasks in an order in which each comes after what it needs and after the tasks before it in its stage's list: by
/// rounds, of which each has at most one task of a stage. Requires a schedule without a fault.
std::vector<TaskPosition> rounds_in_order(const Schedule& schedule);

/// The stage of every chunk. Requires a schedule without a fault.
std::vector<std::int64_t> stage_of_chunks(const Schedule& schedule);

}  // namespace podsim::hlo::pipeline
