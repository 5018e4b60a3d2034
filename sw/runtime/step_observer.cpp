// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/step_observer.h"

#include <utility>

namespace podsim::sw::runtime {

void StepObserver::item_ended(compiler::ProgramItem::Kind kind, const ItemResult& item, base::Time end) {
  add(kind, item);
  current_.end = end;
}

void StepObserver::add(compiler::ProgramItem::Kind kind, const ItemResult& item) {
  switch (kind) {
    case compiler::ProgramItem::Kind::op:
      current_.compute += item.total();
      current_.hbm_bytes += (item.cost.read_bytes + item.cost.written_bytes) * item.times;
      break;
    case compiler::ProgramItem::Kind::collective:
      current_.collective += item.total();
      break;
    case compiler::ProgramItem::Kind::infeed:
      current_.infeed += item.total();
      break;
    case compiler::ProgramItem::Kind::outfeed:
    case compiler::ProgramItem::Kind::repeat:
      break;
  }
  current_.items.push_back(item);
}

void StepObserver::repeat_from(const compiler::Program& program, std::size_t first, std::int64_t times,
                               base::Time end) {
  const std::size_t last = current_.items.size();
  for (std::size_t i = first; i < last; ++i) {
    ItemResult again = current_.items[i];
    again.times *= times;
    add(program.items[std::size_t(again.item)].kind, again);
  }
  current_.end = end;
}

void StepObserver::repeat_onward(const compiler::Program& program, std::size_t first, std::int64_t times, int period,
                                 base::Time end) {
  const std::size_t last = current_.items.size();
  for (std::int64_t time = 1; time <= times; ++time) {
    for (std::size_t i = first; i < last; ++i) {
      ItemResult again = current_.items[i];
      again.item += int(time) * period;
      add(program.items[std::size_t(again.item)].kind, again);
    }
  }
  current_.end = end;
}

void StepObserver::step_ended() {
  last_ = std::exchange(current_, {});
  current_.begin = current_.end = last_.end;
  step_times_.push_back(last_.duration());
}

}  // namespace podsim::sw::runtime
