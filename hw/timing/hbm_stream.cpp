// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_stream.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace podsim::hw::timing {

namespace {
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t turnaround_denominator = 10000;  // four decimals of the turnaround are kept
constexpr std::int64_t least_units = 1 << 16;           // lower bound of units per tick, the resolution of rates
}  // namespace

void HbmStream::Queue::pop() {
  ++head_;
  if (head_ == requests_.size()) clear();
}

HbmStream::HbmStream(const Machine& machine)
    : hbm_(machine.hbm),
      rates_(memory::dram::StreamRates::of(machine.dram, machine.dma.granules)),
      clock_(machine.clock.si()) {
  // Ratios of the rates: read alone : write alone : shared = (2 + turnaround) : (2 + turnaround) / write_cost : 1. The
  // first and the last are whole numbers of units per tick.
  const std::int64_t turnaround = std::llround(hbm_.turnaround * double(turnaround_denominator));
  const std::int64_t divisor = std::gcd(turnaround_denominator, 2 * turnaround_denominator + turnaround);
  const std::int64_t scale = base::divide_round_up(least_units, turnaround_denominator / divisor);
  shared_ = turnaround_denominator / divisor * scale;
  alone_[0] = (2 * turnaround_denominator + turnaround) / divisor * scale;
  alone_[1] = std::llround(double(alone_[0]) / hbm_.write_cost);
  const double ticks_per_byte = clock_ / hbm_.stream_rate.si() * double(1LL << tick_bits);
  units_per_byte_ = std::max<std::int64_t>(1, std::int64_t(double(alone_[0]) * ticks_per_byte));
}

void HbmStream::submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag,
                       const AccessShape& shape) {
  assert(bytes.value() >= 0 && bytes.value() < never / units_per_byte_);
  queues_[std::size_t(direction)].push(
      {arrival.value() << tick_bits, bytes.value() * units_per_byte_, bytes, tag, shape});
}

/// Rounds up, so that a stream that ends in a whole cycle does not need one more.
HbmStream::Units HbmStream::units_of(const std::array<base::Bandwidth, 2>& rates) const {
  Units units;
  for (const std::size_t d : {0, 1}) {
    const double per_cycle = rates[d].si() / clock_ * double(units_per_byte_);
    units[d] = std::max<std::int64_t>(1, std::int64_t(std::ceil(per_cycle / double(1LL << tick_bits))));
  }
  return units;
}

HbmStream::Units HbmStream::units_per_tick(const State& state, const std::array<bool, 2>& moving) const {
  const auto contiguous = [&](std::size_t d) { return !moving[d] || state.shape[d].contiguous(); };
  if (moving[0] && moving[1]) {
    if (contiguous(0) && contiguous(1)) return {shared_, shared_};
    return units_of(rates_->together(state.shape[0], state.shape[1]));
  }
  if (contiguous(0) && contiguous(1)) return alone_;
  const Direction direction = moving[0] ? Direction::read : Direction::write;
  const base::Bandwidth rate = rates_->alone(direction, state.shape[std::size_t(direction)]);
  return units_of({rate, rate});
}

HbmStream::State HbmStream::state() const {
  State state;
  state.now = now_;
  for (std::size_t d : {0, 1}) {
    state.present[d] = !queues_[d].empty();
    if (!state.present[d]) continue;
    state.remaining[d] = queues_[d].front().remaining;
    state.arrival[d] = queues_[d].front().arrival;
    state.shape[d] = queues_[d].front().shape;
  }
  return state;
}

/// Returns the longest interval from now over which rates are constant, ending at `limit` at the latest.
HbmStream::Step HbmStream::step(const State& state, std::int64_t limit) const {
  Step step;
  for (std::size_t d : {0, 1}) step.moving[d] = state.present[d] && state.arrival[d] <= state.now;
  step.units = units_per_tick(state, step.moving);
  std::array<std::int64_t, 2> finish{never, never};
  step.until = limit;
  for (std::size_t d : {0, 1}) {
    if (step.moving[d]) {
      finish[d] = state.now + base::divide_round_up(std::max<std::int64_t>(0, state.remaining[d]), step.units[d]);
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
    if (step.moving[d]) state.remaining[d] -= (step.until - state.now) * step.units[d];
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
  // Events at `target` are included, so the loop ends when none is left at that time.
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
      // Work that the last tick did beyond the end of this request counts for the next one, if that was waiting.
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
  const std::array<bool, 2> moving{active(Direction::read), active(Direction::write)};
  if (!moving[0] && !moving[1]) return 0;
  const Units units = units_per_tick(state(), moving);
  return double(units[0] * moving[0] + units[1] * moving[1]) * double(1LL << tick_bits) / double(units_per_byte_);
}

void HbmStream::reset() {
  for (Queue& queue : queues_) queue.clear();
  now_ = 0;
  busy_ticks_ = 0;
}

}  // namespace podsim::hw::timing
