// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "noc/topology.h"

namespace podsim::noc::ici {

/// A message between two chips: a posted write.
struct Message {
  NodeId source = 0;          ///< a node of the network's (possibly folded) topology
  Coordinates hops{};         ///< signed hops to the destination, per dimension
  base::Bytes bytes;          ///< payload
  std::uint32_t channel = 0;  ///< the channel id of the receiving client
  std::uint64_t tag = 0;      ///< set by the client
};

/// A sender and receiver of messages. A network tells it when something happens: IciPort at the simulated time of the
/// event, Links also ahead of it.
class IciClient {
 public:
  virtual ~IciClient() = default;
  /// The injecting link has taken a message that this client sent, its tail included, at `when`.
  virtual void message_taken(NodeId node, const Message& message, base::Time when) = 0;
  /// The last byte of a message for this client has arrived at `when`.
  virtual void message_received(NodeId node, const Message& message, base::Time when) = 0;
};

}  // namespace podsim::noc::ici
