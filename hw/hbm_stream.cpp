// SPDX-License-Identifier: Apache-2.0
#include "hw/hbm_stream.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace podsim::hw {

namespace {
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t turnaround_denominator = 10000;  // the turnaround is kept to four decimals
}  // namespace

void HbmStream::Queue::pop() {
  ++head_;
  if (head_ == requests_.size()) clear();
}

HbmStream::HbmStream(const Machine& machine) {
  // shared : alone = 1 : (2 + turnaround), as the smallest integers
  shared_ = turnaround_denominator;
  alone_ = 2 * turnaround_denominator + std::llround(machine.hbm.turnaround * double(turnaround_denominator));
  const std::int64_t divisor = std::gcd(shared_, alone_);
  shared_ /= divisor;
  alone_ /= divisor;
  rate_ = machine.hbm.stream_rate / (base::Bandwidth(1) * machine.clock.si());
  units_per_byte_ = std::max<std::int64_t>(1, std::int64_t(double(alone_) * double(1LL << tick_bits) / rate_));
}

void HbmStream::submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag) {
  assert(bytes.value() >= 0 && bytes.value() < never / units_per_byte_);
  queues_[std::size_t(direction)].push({arrival.value() << tick_bits, bytes.value() * units_per_byte_, bytes, tag});
}

HbmStream::State HbmStream::state() const {
  State state;
  state.now = now_;
  for (std::size_t d : {0, 1}) {
    state.present[d] = !queues_[d].empty();
    if (!state.present[d]) continue;
    state.remaining[d] = queues_[d].front().remaining;
    state.arrival[d] = queues_[d].front().arrival;
  }
  return state;
}

/// The longest stretch from now in which rates stay as they are, up to `limit`.
HbmStream::Step HbmStream::step(const State& state, std::int64_t limit) const {
  Step step;
  for (std::size_t d : {0, 1}) step.moving[d] = state.present[d] && state.arrival[d] <= state.now;
  const std::int64_t units = units_per_tick(step);
  std::array<std::int64_t, 2> finish{never, never};
  step.until = limit;
  for (std::size_t d : {0, 1}) {
    if (step.moving[d]) {
      finish[d] = state.now + base::divide_round_up(std::max<std::int64_t>(0, state.remaining[d]), units);
      step.until = std::min(step.until, finish[d]);
    } else if (state.present[d]) {
      step.until = std::min(step.until, state.arrival[d]);
    }
  }
  for (std::size_t d : {0, 1}) step.done[d] = step.moving[d] && finish[d] <= step.until;
  return step;
}

void HbmStream::apply(State& state, const Step& step) const {
  for (std::size_t d : {0, 1}) {
    if (step.moving[d]) state.remaining[d] -= (step.until - state.now) * units_per_tick(step);
  }
  state.now = step.until;
}

std::optional<base::Cycles> HbmStream::next_completion() const {
  if (idle()) return std::nullopt;
  State future = state();
  while (true) {
    const Step next = step(future, never);
    apply(future, next);
    if (next.done[0] || next.done[1]) return base::Cycles(base::divide_round_up(future.now, 1LL << tick_bits));
  }
}

void HbmStream::advance(base::Cycles cycle, std::vector<Completion>& completed) {
  const std::int64_t target = cycle.value() << tick_bits;
  // Events at `target` itself are part of it, so the loop ends when nothing is left to do at that time.
  while (true) {
    State current = state();
    const Step next = step(current, std::max(target, now_));
    if (next.moving[0] || next.moving[1]) busy_ticks_ += next.until - current.now;
    apply(current, next);
    now_ = next.until;
    for (std::size_t d : {0, 1}) {
      if (!current.present[d]) continue;
      Request& head = queues_[d].front();
      head.remaining = current.remaining[d];
      if (!next.done[d]) continue;
      completed.push_back(
          {head.tag, Direction(d), head.bytes, base::Cycles(base::divide_round_up(now_, 1LL << tick_bits))});
      queues_[d].pop();
      // What the last tick moved beyond this request's end belongs to the one behind it, if that was waiting.
      if (!queues_[d].empty() && queues_[d].front().arrival <= now_)
        queues_[d].front().remaining += current.remaining[d];
    }
    const bool arrived = (current.present[0] && !next.moving[0] && current.arrival[0] <= now_) ||
                         (current.present[1] && !next.moving[1] && current.arrival[1] <= now_);
    if (now_ >= target && !next.done[0] && !next.done[1] && !arrived) return;
  }
}

bool HbmStream::active(Direction direction) const {
  const Queue& queue = queues_[std::size_t(direction)];
  return !queue.empty() && queue.front().arrival <= now_;
}

std::optional<base::Cycles> HbmStream::next_arrival() const {
  std::int64_t first = never;
  for (const Queue& queue : queues_) {
    if (!queue.empty() && queue.front().arrival > now_) first = std::min(first, queue.front().arrival);
  }
  if (first == never) return std::nullopt;
  return cycles_of_ticks(first);
}

double HbmStream::bytes_per_cycle() const {
  const bool read = active(Direction::read);
  const bool write = active(Direction::write);
  if (read && write) return rate_ * 2.0 * double(shared_) / double(alone_);
  return read || write ? rate_ : 0.0;
}

void HbmStream::reset() {
  for (Queue& queue : queues_) queue.clear();
  now_ = 0;
  busy_ticks_ = 0;
}

}  // namespace podsim::hw
