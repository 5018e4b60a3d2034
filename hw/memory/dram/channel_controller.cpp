// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/channel_controller.h"

#include <algorithm>
#include <cassert>
#include <ranges>

namespace podsim::hw::memory::dram {

ChannelController::ChannelController(const parts::hbm::DramParameters& parameters)
    : map_(parameters),
      timing_(dram_constraints(parameters.organization, parameters.timing), parameters.organization),
      min_latency_(std::min(parameters.timing.cl, parameters.timing.cwl).value() +
                   parameters.organization.burst_clocks.value()),
      options_(std::size_t(parameters.organization.pseudo_channels)),
      stale_(std::size_t(parameters.organization.pseudo_channels)) {
  pseudo_channels_.reserve(options_.size());
  for (int index = 0; index < int(options_.size()); ++index) {
    pseudo_channels_.emplace_back(parameters, index, timing_);
    update(index, 0);
  }
}

/// Caches the last split, since callers test a request before they submit it, often more than once.
const std::vector<DramPart>& ChannelController::parts_of(const MemoryRequest& request) const {
  if (request.address != split_.address || request.bytes != split_.bytes) {
    map_.split(request.address, request.bytes, parts_);
    split_ = request;
  }
  return parts_;
}

bool ChannelController::accepts(const MemoryRequest& request) const {
  const std::vector<DramPart>& parts = parts_of(request);
  for (int index = 0; index < pseudo_channels(); ++index) {
    std::int64_t bursts = 0;
    for (const DramPart& part : parts) bursts += part.pseudo_channel == index ? part.bursts : 0;
    if (bursts > pseudo_channel(index).room(request.direction)) return false;
  }
  return true;
}

void ChannelController::submit(const MemoryRequest& request) {
  assert(accepts(request));
  if (free_.empty()) {
    free_.push_back(std::uint32_t(pending_.size()));
    pending_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  pending_[slot] = {request, 0};
  for (const DramPart& part : parts_of(request)) {
    pending_[slot].bursts_left += part.bursts;
    pseudo_channels_[std::size_t(part.pseudo_channel)].push(request.direction, part, slot, sequence_, now_);
    stale_[std::size_t(part.pseudo_channel)] = true;
  }
  ++sequence_;
}

/// Recomputes the options of a pseudo-channel after a change, except choices that the change does not affect.
void ChannelController::update(int index, std::int64_t clock) {
  PseudoChannel& channel = pseudo_channels_[std::size_t(index)];
  Options& options = options_[std::size_t(index)];
  const PseudoChannel::Demand before = options.demand;
  const PseudoChannel::Demand demand = options.demand = channel.demand(clock);
  const bool turned = demand.direction != before.direction;
  if (turned || demand.columns != before.columns) options.column.known = false;
  if (turned || demand.rows != before.rows || demand.rows_ahead != before.rows_ahead ||
      demand.refresh != before.refresh) {
    options.row.known = false;
  }
  if (!options.column.known) {
    const DramCommand command = demand.direction == Direction::read ? DramCommand::read : DramCommand::write;
    const std::int64_t earliest = std::max(clock, timing_.of_pseudo_channel(command, index));
    options.column.choice = {demand.columns != 0 ? earliest : PseudoChannel::never, command, 0};
  }
  if (!options.row.known) {
    const bool any = (demand.rows | demand.rows_ahead | demand.refresh) != 0;
    options.row.choice = {any ? clock : PseudoChannel::never, DramCommand::activate, 0};
  }
  options.due = channel.next_due(clock);
  stale_[std::size_t(index)] = false;
}

ChannelController::Step ChannelController::next_step() const {
  Step best;
  const auto consider = [&](std::int64_t clock, int index, Event event) {
    if (clock < best.clock) best = {clock, index, event};
  };
  const std::int64_t column_bus = timing_.of_channel(DramCommand::read);
  const std::int64_t row_bus = timing_.of_channel(DramCommand::activate);
  for (int i = 0, index = turn_; i < pseudo_channels(); ++i) {
    const Options& options = options_[std::size_t(index)];
    consider(options.due, index, Event::refresh_due);
    consider(std::max(options.column.choice.clock, column_bus), index, Event::column);
    consider(std::max(options.row.choice.clock, row_bus), index, Event::row);
    index = index + 1 == pseudo_channels() ? 0 : index + 1;
  }
  return best;
}

void ChannelController::take(const Step& step) {
  const int index = step.pseudo_channel;
  if (step.event == Event::refresh_due) return update(index, step.clock);
  Options& options = options_[std::size_t(index)];
  Next& next = step.event == Event::column ? options.column : options.row;
  // A command that waited for the bus may no longer be the best.
  if (!next.known || next.choice.clock < step.clock) {
    const PseudoChannel& channel = pseudo_channel(index);
    next.choice = step.event == Event::column ? channel.column_choice(options.demand, step.clock)
                                              : channel.row_choice(options.demand, step.clock);
    next.known = true;
    if (next.choice.clock > step.clock) return;
  }
  issue(index, next.choice);
  next.known = false;
  update(index, step.clock);
}

void ChannelController::issue(int index, const PseudoChannel::Choice& choice) {
  PseudoChannel& channel = pseudo_channels_[std::size_t(index)];
  const std::int64_t row_before = observer_ == nullptr ? BankQueues::no_row : channel.open_row(choice.bank);
  const std::optional<PseudoChannel::Issued> issued = channel.issue(choice);
  if (observer_ != nullptr) {
    const bool opens = choice.command == DramCommand::activate;
    observer_->issued(choice.command, channel.target(choice.bank), opens ? channel.open_row(choice.bank) : row_before,
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
    if (stale_[std::size_t(index)]) update(index, now_);
    if (!pseudo_channels_[std::size_t(index)].empty()) continue;
    pseudo_channels_[std::size_t(index)].skip_idle_rounds(clock.value());
  }
  for (next_ = next_step(); next_.clock < clock.value(); next_ = next_step()) take(next_);
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
  return base::Cycles((stale ? now_ : std::max(now_, next_.clock)) + 1);
}

std::optional<base::Cycles> ChannelController::next_completion(std::optional<base::Cycles> room) const {
  std::int64_t next = PseudoChannel::never;
  for (const auto& queue : due_) {
    if (!queue.empty()) next = std::min(next, queue.front().clock.value());
  }
  if (room) next = std::min(next, room->value() - 1 + min_latency_);
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

}  // namespace podsim::hw::memory::dram
