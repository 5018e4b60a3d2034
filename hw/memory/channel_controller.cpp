// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/channel_controller.h"

#include <algorithm>
#include <cassert>
#include <ranges>

namespace podsim::hw {

namespace {

/// All pseudo-channels of the memory refresh in turn, spread over the time between two refreshes of one.
std::int64_t refresh_phase(const DramParameters& parameters, int channel, int pseudo_channel) {
  const std::int64_t steps = parameters.policy.refresh == RefreshPolicy::per_bank ? parameters.organization.banks() : 1;
  const std::int64_t interval = parameters.timing.refi.value() / steps;
  const std::int64_t all = parameters.organization.channels * parameters.organization.pseudo_channels;
  return interval + (channel * parameters.organization.pseudo_channels + pseudo_channel) * interval / all;
}

}  // namespace

ChannelController::ChannelController(const DramParameters& parameters, int number)
    : map_(parameters),
      timing_(dram_constraints(parameters.organization, parameters.timing), parameters.organization),
      least_latency_(std::min(parameters.timing.cl, parameters.timing.cwl).value() +
                     parameters.organization.burst_clocks.value()),
      options_(std::size_t(parameters.organization.pseudo_channels)),
      stale_(std::size_t(parameters.organization.pseudo_channels)) {
  for (int index = 0; index < int(parameters.organization.pseudo_channels); ++index) {
    pseudo_channels_.emplace_back(parameters, index, refresh_phase(parameters, number, index), timing_);
    choose(index, 0);
  }
}

bool ChannelController::accepts(const MemoryRequest& request) const {
  map_.split(request.address, request.bytes, parts_);
  return std::ranges::all_of(pseudo_channels_, [&](const PseudoChannel& channel) {
    std::int64_t bursts = 0;
    for (const DramPart& part : parts_) bursts += &pseudo_channel(part.pseudo_channel) == &channel ? part.bursts : 0;
    return bursts <= channel.room(request.direction);
  });
}

void ChannelController::submit(const MemoryRequest& request) {
  assert(accepts(request));
  map_.split(request.address, request.bytes, parts_);
  if (free_.empty()) {
    free_.push_back(std::uint32_t(pending_.size()));
    pending_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  pending_[slot] = {request, 0};
  for (const DramPart& part : parts_) {
    pending_[slot].bursts_left += part.bursts;
    pseudo_channels_[std::size_t(part.pseudo_channel)].push(request.direction, part, slot, sequence_, now_);
    stale_[std::size_t(part.pseudo_channel)] = true;
  }
  ++sequence_;
}

void ChannelController::choose(int index, std::int64_t clock) {
  PseudoChannel& channel = pseudo_channels_[std::size_t(index)];
  channel.choose_direction();
  options_[std::size_t(index)] = {channel.column_choice(clock), channel.row_choice(clock), channel.next_due(clock)};
  stale_[std::size_t(index)] = false;
}

ChannelController::Step ChannelController::next_step() const {
  Step best;
  const int count = pseudo_channels();
  for (int i = 0; i < count; ++i) {
    const int index = (turn_ + i) % count;
    const Options& options = options_[std::size_t(index)];
    if (options.due < best.clock) best = {options.due, index, false, false};
    for (const bool column : {true, false}) {
      const PseudoChannel::Choice& choice = column ? options.column : options.row;
      if (choice.clock >= best.clock) continue;
      const std::int64_t clock = std::max(choice.clock, timing_.of_channel(choice.command));
      if (clock < best.clock) best = {clock, index, column, !column};
    }
  }
  return best;
}

void ChannelController::take(const Step& step) {
  const Options& options = options_[std::size_t(step.pseudo_channel)];
  const PseudoChannel::Choice choice = step.column ? options.column : options.row;
  // A command that waited for the bus may no longer be the best.
  if ((step.column || step.row) && choice.clock == step.clock) issue(step.pseudo_channel, choice);
  choose(step.pseudo_channel, step.clock);
}

void ChannelController::issue(int index, const PseudoChannel::Choice& choice) {
  PseudoChannel& channel = pseudo_channels_[std::size_t(index)];
  const std::int64_t row_before = observer_ == nullptr ? BankQueues::no_row : channel.open_row(choice.bank);
  const std::optional<PseudoChannel::Issued> issued = channel.issue(choice);
  if (observer_ != nullptr) {
    const bool opens = choice.command == DramCommand::activate;
    observer_->issued(choice.command, channel.place(choice.bank), opens ? channel.open_row(choice.bank) : row_before,
                      base::Cycles(choice.clock));
  }
  if (issued) finish_burst(*issued);
  turn_ = (index + 1) % pseudo_channels();
}

void ChannelController::finish_burst(const PseudoChannel::Issued& issued) {
  Pending& pending = pending_[issued.request];
  if (--pending.bursts_left != 0) return;
  const MemoryRequest& request = pending.request;
  due_[std::size_t(request.direction)].push_back(
      {request.tag, request.direction, request.bytes, base::Cycles(issued.data_end)});
  free_.push_back(issued.request);
}

void ChannelController::advance(base::Cycles clock, std::vector<MemoryCompletion>& completed) {
  assert(clock.value() >= now_);
  for (int index = 0; index < pseudo_channels(); ++index) {
    if (stale_[std::size_t(index)]) choose(index, now_);
    if (!pseudo_channels_[std::size_t(index)].empty()) continue;
    pseudo_channels_[std::size_t(index)].skip_idle_rounds(clock.value());
  }
  for (Step step = next_step(); step.clock < clock.value(); step = next_step()) take(step);
  now_ = clock.value();
  collect(completed);
}

void ChannelController::collect(std::vector<MemoryCompletion>& completed) {
  while (true) {
    std::deque<MemoryCompletion>* first = nullptr;
    for (auto& queue : due_) {
      if (queue.empty() || queue.front().clock.value() > now_) continue;
      if (first == nullptr || queue.front().clock < first->front().clock) first = &queue;
    }
    if (first == nullptr) return;
    completed.push_back(first->front());
    first->pop_front();
  }
}

bool ChannelController::idle() const {
  return due_[0].empty() && due_[1].empty() && std::ranges::all_of(pseudo_channels_, &PseudoChannel::empty);
}

std::optional<base::Cycles> ChannelController::next_room() const {
  if (std::ranges::all_of(pseudo_channels_, &PseudoChannel::empty)) return std::nullopt;
  const bool stale = std::ranges::find(stale_, true) != stale_.end();
  return base::Cycles((stale ? now_ : std::max(now_, next_step().clock)) + 1);
}

std::optional<base::Cycles> ChannelController::next_completion() const {
  std::int64_t next = PseudoChannel::never;
  for (const auto& queue : due_) {
    if (!queue.empty()) next = std::min(next, queue.front().clock.value());
  }
  if (const auto room = next_room()) next = std::min(next, room->value() - 1 + least_latency_);
  return next == PseudoChannel::never ? std::nullopt : std::optional(base::Cycles(next));
}

BusShares ChannelController::shares() const {
  BusShares sum;
  for (const PseudoChannel& channel : pseudo_channels_) sum += channel.shares(now_);
  return sum;
}

std::int64_t ChannelController::bursts() const {
  std::int64_t sum = 0;
  for (const PseudoChannel& channel : pseudo_channels_) sum += channel.bursts();
  return sum;
}

std::int64_t ChannelController::activates() const {
  std::int64_t sum = 0;
  for (const PseudoChannel& channel : pseudo_channels_) sum += channel.activates();
  return sum;
}

std::int64_t ChannelController::refreshes() const {
  std::int64_t sum = 0;
  for (const PseudoChannel& channel : pseudo_channels_) sum += channel.refreshes();
  return sum;
}

}  // namespace podsim::hw
