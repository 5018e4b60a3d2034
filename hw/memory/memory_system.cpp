// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/memory_system.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw {

MemorySystem::MemorySystem(const DramParameters& parameters) : parameters_(parameters), map_(parameters) {
  for (int number = 0; number < int(parameters.organization.channels); ++number) {
    channels_.emplace_back(parameters, number);
  }
}

bool MemorySystem::accepts(const MemoryRequest& request) const {
  assert(map_.in_one_unit(request.address, request.bytes));
  return channel(map_.channel_of(request.address)).accepts(request);
}

void MemorySystem::submit(const MemoryRequest& request) { channel(map_.channel_of(request.address)).submit(request); }

void MemorySystem::advance(base::Cycles clock, std::vector<MemoryCompletion>& completed) {
  const std::size_t before = completed.size();
  for (ChannelController& channel : channels_) channel.advance(clock, completed);
  std::stable_sort(completed.begin() + std::ptrdiff_t(before), completed.end(),
                   [](const MemoryCompletion& a, const MemoryCompletion& b) { return a.clock < b.clock; });
  now_ = clock;
}

std::optional<base::Cycles> MemorySystem::next_event() const {
  std::optional<base::Cycles> next = next_completion();
  for (const ChannelController& channel : channels_) {
    if (const auto room = channel.next_room()) next = std::min(*room, next.value_or(*room));
  }
  return next;
}

std::optional<base::Cycles> MemorySystem::next_completion() const {
  std::optional<base::Cycles> next;
  for (const ChannelController& channel : channels_) {
    if (const auto completion = channel.next_completion()) next = std::min(*completion, next.value_or(*completion));
  }
  return next;
}

bool MemorySystem::idle() const { return std::ranges::all_of(channels_, &ChannelController::idle); }

BusShares MemorySystem::shares() const {
  BusShares sum;
  for (const ChannelController& channel : channels_) sum += channel.shares();
  return sum;
}

std::int64_t MemorySystem::bursts() const {
  std::int64_t sum = 0;
  for (const ChannelController& channel : channels_) sum += channel.bursts();
  return sum;
}

std::int64_t MemorySystem::activates() const {
  std::int64_t sum = 0;
  for (const ChannelController& channel : channels_) sum += channel.activates();
  return sum;
}

std::int64_t MemorySystem::refreshes() const {
  std::int64_t sum = 0;
  for (const ChannelController& channel : channels_) sum += channel.refreshes();
  return sum;
}

}  // namespace podsim::hw
