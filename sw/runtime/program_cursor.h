// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/compiler/program.h"

namespace podsim::sw::runtime {

/// Position of a core in its program: steps, trips of loops, and items of branches that it does not take. All cores of
/// an SPMD program pass the same items in the same order, whether they execute them or not, so the number of items
/// passed identifies an execution of an item on all cores: its execution id.
class ProgramCursor {
 public:
  /// The program outlives the cursor. `core` is a core of the slice.
  explicit ProgramCursor(const compiler::Program& program, std::int32_t core = 0);

  int step() const { return step_; }
  /// Index into Program::items; their number at the end of a step.
  int item() const { return item_; }
  bool at_end_of_step() const { return std::size_t(item_) == program_->items.size(); }
  /// Execution id of the current item: the number of items passed since the beginning.
  std::uint64_t execution() const { return execution_; }
  /// Execution id of an item when it was last passed.
  std::uint64_t last_execution(int item) const { return last_execution_[std::size_t(item)]; }

  /// The loop that has a trip beginning at this item, if there is exactly one; otherwise -1.
  int loop_begun() const { return loop_begun_by_item_[std::size_t(item_)]; }
  /// Number of trips of a loop before this one since it was entered; number of times that it was entered before.
  std::int64_t trip(int loop) const { return trips_made_[std::size_t(loop)]; }
  std::int64_t entries(int loop) const { return entries_[std::size_t(loop)]; }
  /// Counts `trips` as made.
  void skip_trips(int loop, std::int64_t trips) { trips_made_[std::size_t(loop)] += trips; }
  /// Counts `items` from this one on as passed.
  void skip_items(int items);

  /// Moves to the item that the core runs next, or past the last item to the end of the step.
  void advance();
  void begin_next_step();

 private:
  /// Moves past items of other cores, and from a loop's end back to its beginning or onward.
  void settle();
  void follow_loops();
  bool is_for_others() const;
  void pass();

  const compiler::Program* program_;
  int step_ = 0;
  int item_ = 0;
  std::uint64_t execution_ = 0;
  std::vector<bool> takes_;  ///< whether the core is in each core set
  std::vector<int> loop_begun_by_item_;
  std::vector<std::int64_t> trips_made_, entries_;  ///< by loop
  std::vector<std::uint64_t> last_execution_;       ///< by item
};

}  // namespace podsim::sw::runtime
