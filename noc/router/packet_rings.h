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
  /// The location of a ring in the array. It is kept with the rest of its channel's state.
  struct Ring {
    std::uint32_t offset = 0, mask = 0, head = 0, count = 0;
  };

  /// Rings begin with room for `capacity` packets each, and grow as needed.
  explicit PacketRings(int capacity) : size_(std::bit_ceil(unsigned(capacity))) {}

  Ring make() {
    entries_.resize(entries_.size() + size_);
    return {.offset = std::uint32_t(entries_.size() - size_), .mask = size_ - 1};
  }
  int count(const Ring& ring) const { return int(ring.count); }
  BufferedPacket& front(const Ring& ring) {
    assert(ring.count > 0);
    return entries_[ring.offset + ring.head];
  }
  const BufferedPacket& at(const Ring& ring, int index) const {
    return entries_[ring.offset + ((ring.head + unsigned(index)) & ring.mask)];
  }
  BufferedPacket& back(const Ring& ring) {
    assert(ring.count > 0);
    return entries_[ring.offset + ((ring.head + ring.count - 1) & ring.mask)];
  }
  void push(Ring& ring, const BufferedPacket& packet) {
    if (ring.count > ring.mask) grow(ring);
    entries_[ring.offset + ((ring.head + ring.count++) & ring.mask)] = packet;
  }
  void pop(Ring& ring) {
    ring.head = (ring.head + 1) & ring.mask;
    --ring.count;
  }
  /// Has the host fetch the packet at the front.
  void prefetch_front(const Ring& ring) const { __builtin_prefetch(&entries_[ring.offset + ring.head]); }
  std::size_t capacity() const { return entries_.size(); }

 private:
  // The old entries are abandoned. Sizes double, so all abandoned entries of a ring are fewer than its current ones.
  void grow(Ring& ring) {
    const Ring old = ring;
    ring = {.offset = std::uint32_t(entries_.size()), .mask = 2 * old.mask + 1, .head = 0, .count = old.count};
    entries_.resize(entries_.size() + ring.mask + 1);
    for (std::uint32_t i = 0; i < old.count; ++i) {
      entries_[ring.offset + i] = entries_[old.offset + ((old.head + i) & old.mask)];
    }
  }

  std::uint32_t size_;  ///< of a new ring
  std::vector<BufferedPacket> entries_;
};

}  // namespace podsim::noc::router
