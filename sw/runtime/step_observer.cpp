// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/step_observer.h"

#include <algorithm>
#include <cstddef>
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
  std::vector<ItemResult> again(current_.items.begin() + std::ptrdiff_t(first), current_.items.end());
  for (ItemResult& item : again) {
    item.times *= times;
    item.rest = item.rest * times;
  }
  add_skipped(program, std::move(again), end);
}

void StepObserver::repeat_onward(const compiler::Program& program, std::size_t first, std::int64_t times, int period,
                                 base::Time end) {
  const std::vector<ItemResult> trip(current_.items.begin() + std::ptrdiff_t(first), current_.items.end());
  std::vector<ItemResult> again;
  for (std::int64_t time = 1; time <= times; ++time) {
    for (const ItemResult& item : trip) again.emplace_back(item).item += int(time) * period;
  }
  add_skipped(program, std::move(again), end);
}

/// Adds items that are not simulated and end at `end`, so that the parts of the step add up to it.
void StepObserver::add_skipped(const compiler::Program& program, std::vector<ItemResult> items, base::Time end) {
  base::Time rest = end - current_.end;
  for (const ItemResult& item : items) rest -= item.total();
  const auto longest = std::ranges::max_element(items, {}, &ItemResult::total);
  if (longest != items.end()) longest->rest += rest;
  for (const ItemResult& item : items) add(program.items[std::size_t(item.item)].kind, item);
  current_.end = end;
}

void StepObserver::step_ended() {
  last_ = std::exchange(current_, {});
  current_.begin = current_.end = last_.end;
  step_times_.push_back(last_.duration());
}

}  // namespace podsim::sw::runtime
