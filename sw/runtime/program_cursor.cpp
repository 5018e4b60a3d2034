// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_cursor.h"

#include <algorithm>

namespace podsim::sw::runtime {

ProgramCursor::ProgramCursor(const compiler::Program& program, std::int32_t core)
    : program_(&program),
      loop_begun_by_item_(program.items.size() + 1, -1),
      trips_made_(program.loops.size()),
      entries_(program.loops.size()),
      last_execution_(program.items.size()) {
  constexpr int several = -2;
  for (std::size_t loop = 0; loop < program.loops.size(); ++loop) {
    int& begun = loop_begun_by_item_[std::size_t(program.loops[loop].first)];
    begun = begun == -1 ? int(loop) : several;
  }
  std::ranges::replace(loop_begun_by_item_, several, -1);
  for (const auto& cores : program.core_sets) takes_.push_back(std::ranges::binary_search(cores, core));
  settle();
}

void ProgramCursor::advance() {
  pass();
  settle();
}

void ProgramCursor::skip_items(int items) {
  item_ += items;
  execution_ += std::uint64_t(items);
  settle();
}

void ProgramCursor::pass() {
  last_execution_[std::size_t(item_)] = execution_++;
  ++item_;
}

void ProgramCursor::settle() {
  follow_loops();
  while (is_for_others()) {
    pass();
    follow_loops();
  }
}

bool ProgramCursor::is_for_others() const {
  if (at_end_of_step()) return false;
  const int cores = program_->items[std::size_t(item_)].cores;
  return cores >= 0 && !takes_[std::size_t(cores)];
}

void ProgramCursor::begin_next_step() {
  ++step_;
  item_ = 0;
  settle();
}

void ProgramCursor::follow_loops() {
  while (!at_end_of_step() && program_->items[std::size_t(item_)].kind == compiler::ProgramItem::Kind::repeat) {
    const int number = program_->items[std::size_t(item_)].index;
    const compiler::Loop& loop = program_->loops[std::size_t(number)];
    std::int64_t& made = trips_made_[std::size_t(number)];
    const bool empty = loop.first == item_;
    if (++made < loop.trips && !empty) {
      item_ = loop.first;
    } else {
      made = 0;
      ++entries_[std::size_t(number)];
      ++item_;
    }
  }
}

}  // namespace podsim::sw::runtime
