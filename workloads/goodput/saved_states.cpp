// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/saved_states.h"

#include <algorithm>

namespace podsim::workloads::goodput {

Stretch::Progress Stretch::at(Nanoseconds time) const {
  const Nanoseconds passed = time - begin, training = step * period_steps;
  const std::int64_t whole = passed / period;
  const Nanoseconds rest = passed % period;
  const Nanoseconds in_steps = std::min(rest, training);
  const Nanoseconds in_check = std::min(rest - in_steps, check);
  Progress progress;
  progress.steps = whole * period_steps + in_steps / step;
  progress.work = training * whole + in_steps;
  progress.checks = check * whole + in_check;
  progress.checkpoints = passed - progress.work - progress.checks;
  progress.checks_done = checks_until(time);
  return progress;
}

std::int64_t Stretch::checks_until(Nanoseconds time) const {
  const Nanoseconds passed = time - begin;
  const bool in_this = passed % period >= step * period_steps + check;
  return passed / period + (in_this ? 1 : 0);
}

Nanoseconds Stretch::end_of_check(std::int64_t n) const {
  return begin + period * (n - 1) + step * period_steps + check;
}

SavedState Stretch::saved(std::int64_t n) const {
  if (n == 0) return from;
  return {begin + period * n + lag, from.steps + n * period_steps, from.work + step * (n * period_steps)};
}

std::int64_t Stretch::saved_until(Nanoseconds time) const {
  const Nanoseconds passed = time - begin - lag;
  return passed < period ? 0 : passed / period;
}

void SavedStates::add(const Stretch& stretch, Nanoseconds end) {
  if (const std::int64_t count = stretch.saved_until(end); count > 0) kept_.push_back({stretch, count});
}

void SavedStates::add(const SavedState& state) {
  // A stretch of one period that ends with this state.
  Stretch stretch;
  stretch.period = Nanoseconds(1);
  stretch.begin = state.stored - stretch.period;
  stretch.from = {stretch.begin, state.steps - 1, state.work};
  kept_.push_back({stretch, 1});
}

SavedState SavedStates::take_back(Nanoseconds time) {
  while (!kept_.empty()) {
    Kept& last = kept_.back();
    last.count = std::min(last.count, last.stretch.saved_until(time));
    if (last.count > 0) return last.stretch.saved(last.count);
    kept_.pop_back();
  }
  return {};
}

SavedState SavedStates::newest() const {
  return kept_.empty() ? SavedState{} : kept_.back().stretch.saved(kept_.back().count);
}

}  // namespace podsim::workloads::goodput
