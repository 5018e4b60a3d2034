// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/list_scheduler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler {
namespace {

using hlo::InstructionId;

class ListScheduler {
 public:
  ListScheduler(const hlo::Computation& computation, const std::vector<ScheduleStep>& steps, int look_ahead,
                TransferEnd end)
      : computation_(computation),
        steps_(steps),
        look_ahead_(look_ahead),
        end_(end),
        ends_(steps.size(), 0),
        placed_(steps.size(), false),
        done_(steps.size(), -1) {
    for (InstructionId id = 0; id < InstructionId(steps.size()); ++id) {
      if (steps[std::size_t(id)].is_step) open_.push_back(id);
    }
  }

  hlo::Computation run() {
    while (!open_.empty()) {
      start_transfers();
      if (!open_.empty()) issue(next());
      end_transfers();
    }
    for (InstructionId id = 0; id < InstructionId(steps_.size()); ++id) place_result(id);
    return rewritten();
  }

 private:
  struct Wait {
    bool is_possible = false;  ///< all that it waits for has been issued
    double until = 0;
  };
  Wait wait_of(InstructionId id) const {
    Wait wait{.is_possible = true};
    for (const InstructionId before : steps_[std::size_t(id)].after) {
      if (!placed_[std::size_t(before)]) return {};
      wait.until = std::max(wait.until, ends_[std::size_t(before)]);
    }
    return wait;
  }

  /// The step that comes next. Transfers that are ready have been started.
  InstructionId next() const {
    const double wait = wait_of(open_.front()).until - now_;
    for (std::size_t i = 1; wait > 0 && i < open_.size() && i <= std::size_t(look_ahead_); ++i) {
      const ScheduleStep& step = steps_[std::size_t(open_[i])];
      if (step.is_transfer || step.time > 2 * wait) continue;
      const Wait other = wait_of(open_[i]);
      if (other.is_possible && other.until <= now_) return open_[i];
    }
    return open_.front();
  }

  /// Starts the transfers whose operands are available, as far ahead as the scheduler looks.
  void start_transfers() {
    while (const auto ready = ready_transfer()) {
      issue_operands(*ready);
      issue(*ready);
    }
  }

  std::optional<InstructionId> ready_transfer() const {
    double ahead = 0;  ///< time of the ops between here and a transfer
    for (std::size_t i = 0; i < open_.size() && i <= std::size_t(look_ahead_); ++i) {
      const InstructionId id = open_[i];
      const ScheduleStep& step = steps_[std::size_t(id)];
      if (!step.is_transfer) {
        ahead += step.time;
        continue;
      }
      if (step.is_early && i > 0) {
        if (is_due(i, ahead) && makes_light_work(id)) return id;
        continue;
      }
      const Wait wait = wait_of(id);
      if (wait.is_possible && wait.until <= now_) return id;
    }
    return std::nullopt;
  }

  /// True if a transfer that starts behind the next op would not end before its first reader. `ahead`: time of the ops
  /// before it.
  bool is_due(std::size_t at, double ahead) const {
    const ScheduleStep& transfer = steps_[std::size_t(open_[at])];
    for (std::size_t i = at; i < open_.size() && open_[i] < transfer.reader; ++i) {
      const ScheduleStep& step = steps_[std::size_t(open_[i])];
      if (!step.is_transfer) ahead += step.time;
    }
    const ScheduleStep& next = steps_[std::size_t(open_.front())];
    const double start = now_ + (next.is_transfer ? 0 : next.time);
    return now_ + ahead < std::max(start, network_free_) + transfer.time;
  }

  /// True if what a transfer still waits for is ops that together are shorter than it is.
  bool makes_light_work(InstructionId id) const {
    std::vector<InstructionId> open{id};
    double time = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const InstructionId before : steps_[std::size_t(open[i])].after) {
        if (placed_[std::size_t(before)] || std::ranges::find(open, before) != open.end()) continue;
        const ScheduleStep& step = steps_[std::size_t(before)];
        time += step.time;
        if (step.is_transfer || step.keeps_its_turn || time > steps_[std::size_t(id)].time) return false;
        open.push_back(before);
      }
    }
    return true;
  }

  void issue_operands(InstructionId id) {
    for (const InstructionId before : steps_[std::size_t(id)].after) {
      if (placed_[std::size_t(before)]) continue;
      issue_operands(before);
      issue(before);
    }
  }

  void issue(InstructionId id) {
    const ScheduleStep& step = steps_[std::size_t(id)];
    const double ready = std::max(now_, wait_of(id).until);
    if (step.is_transfer) {
      ends_[std::size_t(id)] = network_free_ = std::max(ready, network_free_) + step.time;
    } else {
      ends_[std::size_t(id)] = now_ = ready + step.time;
    }
    for (const InstructionId before : step.after) place_result(before);
    place(id);
    if (step.is_transfer && end_ == TransferEnd::when_over) running_.push_back(id);
    open_.erase(std::ranges::find(open_, id));
  }

  /// Waits for the transfers that are over, so that what they read need not be kept.
  void end_transfers() {
    std::erase_if(running_, [&](InstructionId id) {
      const bool is_over = ends_[std::size_t(id)] <= now_;
      if (is_over) place_result(id);
      return is_over;
    });
  }

  /// Appends an instruction behind its operands.
  void place(InstructionId id) {
    if (placed_[std::size_t(id)]) return;
    for (const InstructionId operand : computation_[id].operands) place_result(operand);
    placed_[std::size_t(id)] = true;
    order_.push_back(id);
  }

  void place_result(InstructionId id) {
    place(id);
    if (!steps_[std::size_t(id)].is_transfer || done_[std::size_t(id)] >= 0) return;
    done_[std::size_t(id)] = InstructionId(steps_.size() + starts_.size());
    order_.push_back(done_[std::size_t(id)]);
    starts_.push_back(id);
  }

  hlo::Computation rewritten() {
    hlo::Computation result = computation_;
    for (hlo::Instruction& instruction : result.instructions) {
      for (InstructionId& operand : instruction.operands) operand = result_of(operand);
    }
    result.root = result_of(result.root);
    for (const InstructionId start : starts_) {
      hlo::Instruction done = result[start];
      result[start].phase = hlo::AsyncPhase::start;
      done.phase = hlo::AsyncPhase::done;
      done.name += ".done";
      done.operands = {start};
      result.instructions.push_back(std::move(done));
    }
    return fuse::sorted_topologically(std::move(result), order_);
  }

  InstructionId result_of(InstructionId id) const { return done_[std::size_t(id)] >= 0 ? done_[std::size_t(id)] : id; }

  const hlo::Computation& computation_;
  const std::vector<ScheduleStep>& steps_;
  int look_ahead_;  ///< number of steps behind the next one
  TransferEnd end_;
  std::vector<InstructionId> running_;  ///< transfers that are not known to be over
  std::vector<InstructionId> open_;     ///< steps that are not issued, in the program's order
  std::vector<double> ends_;
  std::vector<bool> placed_;
  std::vector<InstructionId> done_;    ///< of a transfer that has been waited for
  std::vector<InstructionId> starts_;  ///< of the dones, which get the ids behind all others
  std::vector<InstructionId> order_;
  double now_ = 0, network_free_ = 0;
};

}  // namespace

hlo::Computation scheduled(const hlo::Computation& computation, const std::vector<ScheduleStep>& steps, int look_ahead,
                           TransferEnd end) {
  return ListScheduler(computation, steps, look_ahead, end).run();
}

}  // namespace podsim::sw::compiler
