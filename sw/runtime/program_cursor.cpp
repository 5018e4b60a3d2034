// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_cursor.h"

namespace podsim::sw {

ProgramCursor::ProgramCursor(const Program& program)
    : program_(&program), trips_made_(program.loops.size()), last_token_(program.items.size()) {
  follow_loops();
}

void ProgramCursor::advance() {
  last_token_[std::size_t(item_)] = token_++;
  ++item_;
  follow_loops();
}

void ProgramCursor::begin_next_step() {
  ++step_;
  item_ = 0;
  follow_loops();
}

void ProgramCursor::follow_loops() {
  while (!at_end_of_step() && program_->items[std::size_t(item_)].kind == ProgramItem::Kind::repeat) {
    const int number = program_->items[std::size_t(item_)].index;
    const Loop& loop = program_->loops[std::size_t(number)];
    std::int64_t& made = trips_made_[std::size_t(number)];
    const bool empty = loop.first == item_;
    if (++made < loop.trips && !empty) {
      item_ = loop.first;
    } else {
      made = 0;
      ++item_;
    }
  }
}

}  // namespace podsim::sw
