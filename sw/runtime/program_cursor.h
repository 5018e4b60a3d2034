// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/compiler/program.h"

namespace podsim::sw {

/// Where a core is in its program: steps, trips around loops, and past the items of branches that it does not take.
/// All cores of an SPMD program pass the same items in the same order, by execution or not, so the number of items
/// passed names an execution of an item on all of them.
class ProgramCursor {
 public:
  /// The program outlives the cursor. `core` is one of the slice.
  explicit ProgramCursor(const Program& program, std::int32_t core = 0);

  int step() const { return step_; }
  /// Into Program::items; their number at the end of a step.
  int item() const { return item_; }
  bool at_end_of_step() const { return std::size_t(item_) == program_->items.size(); }
  /// Items passed since the beginning.
  std::uint64_t token() const { return token_; }
  /// The token that an item had when it was last passed.
  std::uint64_t last_token(int item) const { return last_token_[std::size_t(item)]; }

  /// The loop of which a trip begins at this item, if it is the only one; -1 elsewhere.
  int loop_begun() const { return loop_begun_by_item_[std::size_t(item_)]; }
  /// Trips of a loop that were made before this one since it was entered, and how often it was entered before.
  std::int64_t trip(int loop) const { return trips_made_[std::size_t(loop)]; }
  std::int64_t entries(int loop) const { return entries_[std::size_t(loop)]; }
  /// As if so many trips had been made.
  void skip_trips(int loop, std::int64_t trips) { trips_made_[std::size_t(loop)] += trips; }

  /// To the item that the core runs next; past the last one is the end of the step.
  void advance();
  void begin_next_step();

 private:
  /// Past items of other cores, and from a loop's end back to its beginning, or on.
  void settle();
  void follow_loops();
  bool is_for_others() const;
  void pass();

  const Program* program_;
  int step_ = 0;
  int item_ = 0;
  std::uint64_t token_ = 0;
  std::vector<bool> takes_;  ///< by core set
  std::vector<int> loop_begun_by_item_;
  std::vector<std::int64_t> trips_made_, entries_;  ///< by loop
  std::vector<std::uint64_t> last_token_;           ///< by item
};

}  // namespace podsim::sw
