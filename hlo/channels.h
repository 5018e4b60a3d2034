// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "hlo/graph.h"
#include "hlo/value.h"

namespace podsim::hlo {

/// What has been sent and not been received yet in an evaluation. A channel has its send and its recv in the module, or
/// one of them there and the other at the host.
class Channels {
 public:
  Channels(const Module& module, std::int64_t replicas, std::int64_t partitions);

  /// True if the other end of a send's or recv's channel is in the module.
  bool is_within_module(const Instruction& end) const;

  /// Sends to the devices that the pairs of the send say; without pairs, to the one device that receives next.
  void send(const Instruction& send, std::int64_t device, const Value& value);

  /// What the channel of `recv` has for a device, in the order in which it was sent; std::nullopt if the pairs do not
  /// name the device as a target. Throws std::logic_error if nothing was sent, or several devices sent without pairs.
  std::optional<Value> receive(const Instruction& recv, std::int64_t device);

 private:
  static constexpr std::int64_t any_device = -1;
  using Sent = std::deque<std::pair<std::int64_t, Value>>;  ///< with their senders

  std::int64_t replicas_, partitions_;
  std::map<std::int64_t, const Instruction*> sends_;            ///< by channel
  std::set<std::int64_t> received_;                             ///< channels
  std::map<std::pair<std::int64_t, std::int64_t>, Sent> sent_;  ///< by channel and target
};

}  // namespace podsim::hlo
