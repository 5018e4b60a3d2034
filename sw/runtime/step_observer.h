// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/units.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw {

/// Where the time of one step of one core went.
struct StepRecord {
  base::Time begin, end;
  std::vector<ItemResult> items;  ///< those that ended, in schedule order
  base::Time compute, collective, infeed;
  base::Bytes hbm_bytes;
  base::Time duration() const { return end - begin; }
};

/// Follows one core through the steps of a program and keeps the last complete one, or the first one's beginning when
/// none was completed.
class StepObserver {
 public:
  void item_ended(ProgramItem::Kind kind, const ItemResult& item, base::Time end);
  void step_ended();
  /// Items that have ended in this step.
  std::size_t items() const { return current_.items.size(); }
  /// What ended from item `first` on in this step comes `times` times more, up to `end`.
  void repeat_from(const Program& program, std::size_t first, std::int64_t times, base::Time end);

  int steps() const { return int(step_times_.size()); }
  const std::vector<base::Time>& step_times() const { return step_times_; }
  const StepRecord& step() const { return step_times_.empty() ? current_ : last_; }

 private:
  void add(ProgramItem::Kind kind, const ItemResult& item);

  StepRecord current_, last_;
  std::vector<base::Time> step_times_;
};

}  // namespace podsim::sw
