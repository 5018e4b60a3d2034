// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "noc/router/router_parameters.h"
#include "noc/topology.h"

namespace podsim::noc::router {

using PacketId = std::uint32_t;
inline constexpr PacketId no_packet = ~PacketId(0);
inline constexpr std::int64_t max_packet_flits = 65535;

/// A packet in flight, stored once however many routers it spans.
struct Packet {
  std::array<std::int16_t, max_dimensions> hops{};  ///< signed hops that the head still has to go
  std::uint8_t vc_class = 0;                        ///< in the current dimension: 0 lower, 1 upper
  std::uint8_t local_port = 0;                      ///< local port by which the packet enters
  std::int32_t flits = 1;
  std::int32_t ejected = 0;  ///< flits that have reached the destination
  NodeId source = 0;
  NodeId destination = 0;
  PacketId next = no_packet;  ///< next packet in the source's queue
  Cycle created = 0;
  std::uint64_t tag = 0;  ///< set by the sender
};

/// Packets by number. Numbers are reused.
class PacketPool {
 public:
  PacketId make() {
    if (free_.empty()) {
      packets_.emplace_back();
      return PacketId(packets_.size() - 1);
    }
    const PacketId id = free_.back();
    free_.pop_back();
    packets_[id] = Packet();
    return id;
  }
  void release(PacketId id) { free_.push_back(id); }
  Packet& operator[](PacketId id) { return packets_[id]; }
  const Packet& operator[](PacketId id) const { return packets_[id]; }
  std::size_t in_use() const { return packets_.size() - free_.size(); }
  std::size_t capacity() const { return packets_.size(); }

 private:
  std::vector<Packet> packets_;
  std::vector<PacketId> free_;
};

}  // namespace podsim::noc::router
