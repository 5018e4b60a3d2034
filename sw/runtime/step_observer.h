// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/units.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw::runtime {

/// The parts of one step of one core.
struct StepRecord {
  base::Time begin, end;
  std::vector<ItemResult> items;  ///< items that have ended, in schedule order
  base::Time compute, collective, infeed;
  base::Time duration() const { return end - begin; }
};

/// Follows one core through the steps of a program. Keeps the last complete step, or the beginning of the first step if
/// none is complete.
class StepObserver {
 public:
  /// Its first step begins then.
  explicit StepObserver(base::Time begin = {}) { current_.begin = current_.end = begin; }

  void item_ended(compiler::ProgramItem::Kind kind, const ItemResult& item, base::Time end);
  /// The core has done nothing until `end`.
  void idle_until(base::Time end) { current_.end = end; }
  void step_ended();
  /// Number of items that have ended in this step.
  std::size_t items() const { return current_.items.size(); }
  /// Repeats the items from index `first` of this step `times` more times, and ends them at `end`.
  void repeat_from(const compiler::Program& program, std::size_t first, std::int64_t times, base::Time end);
  /// Repeats them `times` times, each time for items of the program that come `period` items later.
  void repeat_onward(const compiler::Program& program, std::size_t first, std::int64_t times, int period,
                     base::Time end);

  int steps() const { return int(step_times_.size()); }
  const std::vector<base::Time>& step_times() const { return step_times_; }
  const StepRecord& step() const { return step_times_.empty() ? current_ : last_; }

 private:
  void add(compiler::ProgramItem::Kind kind, const ItemResult& item);
  void add_skipped(const compiler::Program& program, std::vector<ItemResult> items, base::Time end);

  StepRecord current_, last_;
  std::vector<base::Time> step_times_;
};

}  // namespace podsim::sw::runtime
