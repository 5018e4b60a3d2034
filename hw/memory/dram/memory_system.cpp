// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_system.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::memory::dram {

namespace {

constexpr std::int64_t never = PseudoChannel::never;

std::optional<base::Cycles> unless_never(std::int64_t clock) {
  return clock == never ? std::nullopt : std::optional(base::Cycles(clock));
}

}  // namespace

MemorySystem::MemorySystem(const parts::hbm::DramParameters& parameters) : parameters_(parameters), map_(parameters) {
  while (std::int64_t(channels_.size()) < parameters.organization.channels) channels_.emplace_back(parameters);
  completion_.resize(channels_.size(), never);
  room_.resize(channels_.size(), never);
}

bool MemorySystem::accepts(const MemoryRequest& request) const {
  assert(map_.in_one_unit(request.address, request.bytes));
  const auto number = std::size_t(map_.channel_of(request.address));
  if (room_[number] <= now_.value()) advance_channel(number);
  return channels_[number].accepts(request);
}

void MemorySystem::submit(const MemoryRequest& request) {
  const int number = map_.channel_of(request.address);
  channel(number).submit(request);
  look_ahead(std::size_t(number));
}

void MemorySystem::advance_channel(std::size_t number) const {
  channels_[number].advance(now_, completed_);
  look_ahead(number);
}

void MemorySystem::look_ahead(std::size_t number) const {
  const std::optional<base::Cycles> room = channels_[number].next_room();
  completion_[number] = channels_[number].next_completion(room).value_or(base::Cycles(never)).value();
  room_[number] = room.value_or(base::Cycles(never)).value();
}

void MemorySystem::advance(base::Cycles clock, std::vector<MemoryCompletion>& completed) {
  now_ = clock;
  completed_.clear();
  for (std::size_t number = 0; number < channels_.size(); ++number) {
    if (completion_[number] <= clock.value()) advance_channel(number);
  }
  if (completed_.size() > 1) std::ranges::stable_sort(completed_, {}, &MemoryCompletion::clock);
  completed.insert(completed.end(), completed_.begin(), completed_.end());
}

std::optional<base::Cycles> MemorySystem::next_event() const {
  for (std::size_t number = 0; number < channels_.size(); ++number) {
    if (room_[number] <= now_.value()) advance_channel(number);
  }
  return unless_never(std::min(std::ranges::min(completion_), std::ranges::min(room_)));
}

base::Cycles MemorySystem::next_room(const MemoryRequest& request) const {
  const auto number = std::size_t(map_.channel_of(request.address));
  if (room_[number] <= now_.value()) advance_channel(number);
  return base::Cycles(room_[number]);
}

std::optional<base::Cycles> MemorySystem::next_completion() const {
  return unless_never(std::ranges::min(completion_));
}

bool MemorySystem::idle() const { return std::ranges::all_of(channels_, &ChannelController::idle); }

ChannelController& MemorySystem::channel(int number) {
  if (channels_[std::size_t(number)].now() < now_) advance_channel(std::size_t(number));
  return channels_[std::size_t(number)];
}

BusShares MemorySystem::shares() {
  BusShares sum;
  for (int number = 0; number < channels(); ++number) sum += channel(number).shares();
  return sum;
}

std::int64_t MemorySystem::bursts() {
  std::int64_t sum = 0;
  for (int number = 0; number < channels(); ++number) sum += channel(number).bursts();
  return sum;
}

std::int64_t MemorySystem::activates() {
  std::int64_t sum = 0;
  for (int number = 0; number < channels(); ++number) sum += channel(number).activates();
  return sum;
}

std::int64_t MemorySystem::refreshes() {
  std::int64_t sum = 0;
  for (int number = 0; number < channels(); ++number) sum += channel(number).refreshes();
  return sum;
}

}  // namespace podsim::hw::memory::dram
