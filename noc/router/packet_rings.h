// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "noc/router/packet.h"

/// The buffers of all virtual channels, in one array. The flits of a packet follow one another in a virtual channel, so
/// a buffer is kept as a ring of packets with the number of flits present. Memory is proportional to the packets in
/// flight, not to the depth of the buffers.
namespace podsim::noc::router {

struct BufferedPacket {
  PacketId packet = no_packet;
  std::uint16_t present = 0;  ///< flits in the buffer
  std::uint16_t left = 0;     ///< flits that have not left the buffer yet, including those still to come
};

class PacketRings {
 public:
  /// Makes rings with room for `capacity` packets each, which grow as needed.
  PacketRings(std::size_t rings, int capacity) : rings_(rings) {
    const auto size = std::uint32_t(std::bit_ceil(unsigned(capacity)));
    entries_.resize(rings * size);
    for (std::size_t i = 0; i < rings; ++i) rings_[i] = {.offset = std::uint32_t(i * size), .mask = size - 1};
  }

  int count(std::size_t ring) const { return int(rings_[ring].count); }
  BufferedPacket& front(std::size_t ring) {
    const Ring& r = rings_[ring];
    assert(r.count > 0);
    return entries_[r.offset + r.head];
  }
  const BufferedPacket& at(std::size_t ring, int index) const {
    const Ring& r = rings_[ring];
    return entries_[r.offset + ((r.head + unsigned(index)) & r.mask)];
  }
  BufferedPacket& back(std::size_t ring) {
    const Ring& r = rings_[ring];
    assert(r.count > 0);
    return entries_[r.offset + ((r.head + r.count - 1) & r.mask)];
  }
  void push(std::size_t ring, const BufferedPacket& packet) {
    if (rings_[ring].count > rings_[ring].mask) grow(rings_[ring]);
    Ring& r = rings_[ring];
    entries_[r.offset + ((r.head + r.count++) & r.mask)] = packet;
  }
  void pop(std::size_t ring) {
    Ring& r = rings_[ring];
    r.head = (r.head + 1) & r.mask;
    --r.count;
  }
  /// Have the host fetch a ring, and then the packet at its front.
  void prefetch(std::size_t ring) const { __builtin_prefetch(&rings_[ring]); }
  void prefetch_front(std::size_t ring) const {
    __builtin_prefetch(&entries_[rings_[ring].offset + rings_[ring].head]);
  }
  std::size_t capacity() const { return entries_.size(); }

 private:
  struct Ring {
    std::uint32_t offset = 0, mask = 0, head = 0, count = 0;
  };

  // The old entries are abandoned. Sizes double, so all abandoned entries of a ring are fewer than its current ones.
  void grow(Ring& ring) {
    const Ring old = ring;
    ring = {.offset = std::uint32_t(entries_.size()), .mask = 2 * old.mask + 1, .head = 0, .count = old.count};
    entries_.resize(entries_.size() + ring.mask + 1);
    for (std::uint32_t i = 0; i < old.count; ++i) {
      entries_[ring.offset + i] = entries_[old.offset + ((old.head + i) & old.mask)];
    }
  }

  std::vector<Ring> rings_;
  std::vector<BufferedPacket> entries_;
};

}  // namespace podsim::noc::router
