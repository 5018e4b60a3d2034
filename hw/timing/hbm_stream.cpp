// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_stream.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace podsim::hw::timing {

namespace {
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t turnaround_denominator = 10000;  // four decimals of the turnaround are kept
constexpr std::int64_t min_units = 1 << 16;             // lower bound of units per tick, the resolution of rates
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
  const std::int64_t scale = base::divide_round_up(min_units, turnaround_denominator / divisor);
  shared_ = turnaround_denominator / divisor * scale;
  alone_[0] = (2 * turnaround_denominator + turnaround) / divisor * scale;
  alone_[1] = std::llround(double(alone_[0]) / hbm_.write_cost);
  // Rounded up, as in units_of().
  const double port = hbm_.port_rate.si() / hbm_.stream_rate.si();
  if (port < 1) port_ = std::int64_t(std::ceil(double(alone_[0]) * port));
  const double ticks_per_byte = clock_ / hbm_.stream_rate.si() * double(1LL << tick_bits);
  units_per_byte_ = std::max<std::int64_t>(1, std::int64_t(double(alone_[0]) * ticks_per_byte));
  for (std::int64_t& units : alone_) units = std::min(units, port_);
  shared_ = std::min(shared_, port_);
  outstanding_ = outstanding(machine).value() * units_per_byte_;
}

void HbmStream::submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag,
                       const AccessShape& shape) {
  assert(bytes.value() >= 0 && bytes.value() < never / units_per_byte_);
  queues_[std::size_t(direction)].push(
      {arrival.value() << tick_bits, bytes.value() * units_per_byte_, bytes, tag, shape});
}

base::Bytes HbmStream::outstanding(const Machine& machine) {
  return machine.dram.address.interleave * machine.dma.granules;
}

void HbmStream::submit_beside(const Beside& transfer) {
  queues_[2 + std::size_t(transfer.direction)].push(
      {transfer.arrival.value() << tick_bits, transfer.bytes.value() * units_per_byte_, transfer.bytes, 0, {}});
}

void HbmStream::drop_beside() {
  for (std::size_t stream = 2; stream < max_streams; ++stream) queues_[stream].clear();
}

/// Queues the requests that arrive now behind the granules of concurrent transfers that are at the memory.
void HbmStream::meet(State& state) const {
  for (const std::size_t d : {0, 1}) {
    if (!state.present[d] || state.is_met[d] || state.arrival[d] > state.now) continue;
    state.is_met[d] = true;
    std::int64_t left = 0;
    for (std::size_t stream = 2; stream < state.streams; ++stream) {
      if (state.present[stream] && state.arrival[stream] <= state.now) left += state.remaining[stream];
    }
    state.arrival[d] = state.now + std::min(std::max<std::int64_t>(0, left), outstanding_) / alone_[0];
  }
}

/// Rounds up, so that a stream that ends in a whole cycle does not need one more.
HbmStream::Units HbmStream::units_of(const std::array<base::Bandwidth, 2>& rates) const {
  Units units;
  for (const std::size_t d : {0, 1}) {
    const double per_cycle = rates[d].si() / clock_ * double(units_per_byte_);
    units[d] = std::clamp<std::int64_t>(std::int64_t(std::ceil(per_cycle / double(1LL << tick_bits))), 1, port_);
  }
  return units;
}

HbmStream::StreamUnits HbmStream::units_per_tick(const State& state, const Moving& moving) const {
  const Units requests = units_of_requests(state, {moving[0], moving[1]});
  if (!moving[2] && !moving[3]) return {requests[0], requests[1], 0, 0};
  const Units beside = moving[2] && moving[3] ? Units{shared_, shared_} : alone_;
  const Shares& kept = shares(moving);
  StreamUnits units{};
  for (std::size_t stream = 0; stream < max_streams; ++stream) {
    const std::int64_t alone = stream < 2 ? requests[stream] : beside[stream - 2];
    units[stream] = std::max<std::int64_t>(1, std::llround(double(alone) * kept[stream]));
  }
  return units;
}

const HbmStream::Shares& HbmStream::shares(const memory::dram::StreamRates::Streams& moving) const {
  std::size_t number = 0;
  for (std::size_t stream = 0; stream < max_streams; ++stream) number += std::size_t(moving[stream]) << stream;
  std::optional<Shares>& known = shares_[number];
  if (known) return *known;
  const auto all = rates_->contiguous(moving);
  known.emplace();
  // An engine's reads and writes keep the same share, since the faster of them waits for the other.
  for (const std::size_t first : {0, 2}) {
    if (!moving[first] && !moving[first + 1]) continue;
    const auto alone = rates_->contiguous({moving[first], moving[first + 1], false, false});
    const double kept = (all[first] + all[first + 1]).si() / (alone[0] + alone[1]).si();
    for (const std::size_t stream : {first, first + 1}) (*known)[stream] = moving[stream] ? kept : 0;
  }
  return *known;
}

/// Units of the requests, if in each direction they move alone. The shape of a direction without requests is
/// contiguous.
HbmStream::Units HbmStream::units_of_requests(const State& state, const std::array<bool, 2>& moving) const {
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
  state.streams = beside() ? max_streams : 2;
  for (std::size_t stream = 0; stream < state.streams; ++stream) {
    state.present[stream] = !queues_[stream].empty();
    if (!state.present[stream]) continue;
    state.remaining[stream] = queues_[stream].front().remaining;
    state.arrival[stream] = queues_[stream].front().arrival;
    if (stream >= 2) continue;
    state.shape[stream] = queues_[stream].front().shape;
    state.is_met[stream] = queues_[stream].front().is_met;
  }
  return state;
}

/// Returns the longest interval from now over which rates are constant, ending at `limit` at the latest.
HbmStream::Step HbmStream::step(const State& state, std::int64_t limit) const {
  Step step;
  for (std::size_t d = 0; d < state.streams; ++d) step.moving[d] = state.present[d] && state.arrival[d] <= state.now;
  step.units = units_per_tick(state, step.moving);
  StreamUnits finish{never, never, never, never};
  step.until = limit;
  for (std::size_t d = 0; d < state.streams; ++d) {
    if (step.moving[d]) {
      finish[d] = state.now + base::divide_round_up(std::max<std::int64_t>(0, state.remaining[d]), step.units[d]);
      step.until = std::min(step.until, finish[d]);
    } else if (state.present[d]) {
      step.until = std::min(step.until, state.arrival[d]);
    }
  }
  for (std::size_t d = 0; d < state.streams; ++d) step.done[d] = step.moving[d] && finish[d] <= step.until;
  return step;
}

void HbmStream::apply(State& state, const Step& step) {
  for (std::size_t d = 0; d < state.streams; ++d) {
    if (step.moving[d]) state.remaining[d] -= (step.until - state.now) * step.units[d];
  }
  state.now = step.until;
}

std::optional<base::Cycles> HbmStream::next_completion() const {
  if (idle()) return std::nullopt;
  State future = state();
  while (true) {
    meet(future);
    const Step next = step(future, never);
    apply(future, next);
    if (std::ranges::any_of(next.done, std::identity()))
      return base::Cycles(base::divide_round_up(future.now, 1LL << tick_bits));
  }
}

/// Moves time over one interval of constant rates, to `limit` at most. Returns whether something arrives or completes
/// at its end.
bool HbmStream::take_step(std::int64_t limit, std::vector<Completion>& completed) {
  State current = state();
  meet(current);
  const Step next = step(current, limit);
  if (next.moving[0] || next.moving[1]) busy_ticks_ += next.until - current.now;
  apply(current, next);
  now_ = next.until;
  bool event = false;
  for (std::size_t d = 0; d < current.streams; ++d) {
    if (!current.present[d]) continue;
    event = event || next.done[d] || (!next.moving[d] && current.arrival[d] <= now_);
    Request& head = queues_[d].front();
    head.arrival = current.arrival[d];
    head.remaining = current.remaining[d];
    head.is_met = d < 2 && current.is_met[d];
    if (!next.done[d]) continue;
    if (d < 2) completed.push_back({head.tag, Direction(d), head.bytes, now_in_cycles()});
    queues_[d].pop();
    // Work that the last tick did beyond the end of this request counts for the next one, if that was waiting.
    if (queues_[d].empty() || queues_[d].front().arrival > now_) continue;
    queues_[d].front().remaining += current.remaining[d];
    queues_[d].front().is_met = true;
  }
  return event;
}

void HbmStream::advance(base::Cycles cycle, std::vector<Completion>& completed) {
  const std::int64_t target = cycle.value() << tick_bits;
  // Events at `target` are included.
  while (take_step(std::max(target, now_), completed) || now_ < target) {
  }
}

base::Cycles HbmStream::complete_next(std::vector<Completion>& completed, base::Cycles limit) {
  const std::size_t before = completed.size();
  const std::int64_t end = limit == no_limit ? never : limit.value() << tick_bits;
  while (completed.size() == before && now_ < end) take_step(end, completed);
  const base::Cycles cycle = now_in_cycles();
  advance(cycle, completed);
  return cycle;
}

bool HbmStream::active(Direction direction) const {
  return moving(std::size_t(direction)) || moving(2 + std::size_t(direction));
}

std::optional<base::Cycles> HbmStream::next_arrival() const {
  std::int64_t first = never;
  for (const Queue& queue : queues_) {
    if (!queue.empty() && queue.front().arrival > now_) first = std::min(first, queue.front().arrival);
  }
  if (first == never) return std::nullopt;
  return base::Cycles(base::divide_round_up(first, 1LL << tick_bits));
}

double HbmStream::bytes_per_cycle() const {
  const Moving now{moving(0), moving(1), moving(2), moving(3)};
  if (std::ranges::none_of(now, std::identity())) return 0;
  const StreamUnits units = units_per_tick(state(), now);
  std::int64_t sum = 0;
  for (std::size_t stream = 0; stream < max_streams; ++stream) sum += now[stream] ? units[stream] : 0;
  return double(sum) * double(1LL << tick_bits) / double(units_per_byte_);
}

void HbmStream::reset() {
  for (Queue& queue : queues_) queue.clear();
  now_ = 0;
  busy_ticks_ = 0;
}

}  // namespace podsim::hw::timing
