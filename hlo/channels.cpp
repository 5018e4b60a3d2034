// SPDX-License-Identifier: Apache-2.0
#include "hlo/channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "hlo/device_groups.h"

namespace podsim::hlo {
namespace {

/// Ends without a number are those of one channel.
std::int64_t channel_of(const Instruction& end) { return end.participants->channel_id.value_or(0); }

}  // namespace

Channels::Channels(const Module& module, std::int64_t replicas, std::int64_t partitions)
    : replicas_(replicas), partitions_(partitions) {
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.opcode == Opcode::send) sends_.try_emplace(channel_of(instruction), &instruction);
      if (instruction.opcode == Opcode::recv) received_.insert(channel_of(instruction));
    }
  }
}

bool Channels::is_within_module(const Instruction& end) const {
  const std::int64_t channel = channel_of(end);
  return sends_.contains(channel) && received_.contains(channel);
}

void Channels::send(const Instruction& send, std::int64_t device, const Value& value) {
  const std::int64_t channel = channel_of(send);
  if (send.participants->source_target_pairs.empty()) {
    const std::int64_t target = replicas_ * partitions_ == 1 ? device : any_device;
    sent_[{channel, target}].emplace_back(device, value);
    return;
  }
  for (const auto& [source, target] : device_pairs(send, replicas_, partitions_)) {
    if (source == device) sent_[{channel, target}].emplace_back(device, value);
  }
}

std::optional<Value> Channels::receive(const Instruction& recv, std::int64_t device) {
  const std::int64_t channel = channel_of(recv);
  const Instruction& send = *sends_.at(channel);
  const bool has_pairs = !send.participants->source_target_pairs.empty();
  if (has_pairs) {
    const auto pairs = device_pairs(send, replicas_, partitions_);
    if (std::ranges::none_of(pairs, [&](const auto& pair) { return pair.second == device; })) return std::nullopt;
  }
  Sent& sent = sent_[{channel, has_pairs || replicas_ * partitions_ == 1 ? device : any_device}];
  if (sent.empty()) throw std::logic_error(fmt::format("nothing was sent to device {} before it waits", device));
  if (!has_pairs && std::ranges::any_of(sent, [&](const auto& one) { return one.first != sent.front().first; })) {
    throw std::logic_error("several devices send, and no _xla_send_recv_source_target_pairs say to which");
  }
  Value value = std::move(sent.front().second);
  sent.pop_front();
  return value;
}

}  // namespace podsim::hlo
