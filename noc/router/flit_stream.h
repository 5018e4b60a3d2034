// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "noc/router/packet.h"

/// Flits of a packet that cross a switch, or leave a source, in successive cycles. They are simulated by the events at
/// which they begin and end instead of flit by flit: flit k crosses in cycle begin + k, is in the next buffer in
/// arrives + k, and its credit is upstream as long after the crossing as that of any flit. Counts of flits in a buffer
/// and of credits are brought up to date when they are needed.
///
/// A stream begins if nothing else asks for its input or its output, the next buffer has room for it, and its flits
/// have arrived or arrive in a stream. When something asks for its input or output, the stream is broken up, and its
/// remaining flits cross one by one. With Arbitration::rotary only packets that have begun to cross ask; others wait
/// for the end of the stream. A flit that is not sent is missed at least three cycles later, so breaking up a stream
/// changes only what streams further on will do, never what they did.
namespace podsim::noc::router {

using StreamId = std::uint32_t;
inline constexpr StreamId no_stream = ~StreamId(0);
inline constexpr std::int32_t min_stream_flits = 8;  ///< fewer are faster one by one where packets contend
inline constexpr std::int32_t max_stream_flits = 1024;

struct alignas(64) FlitStream {
  Cycle begin = 0, arrives = 0;  ///< of the first flit
  std::int32_t count = 0;        ///< flits; fewer once the stream is broken up
  std::int32_t left = 0;         ///< flits that the counts of the buffer they leave are without
  std::int32_t arrived = 0;      ///< flits that the counts of the next buffer have
  std::int32_t uses = 0;         ///< events and channels that refer to it
  std::uint32_t channel = 0;     ///< input virtual channel that it leaves; not of a source
  std::uint32_t target = 0;      ///< as of a flit
  std::uint32_t packet = 0;      ///< as of a flit: the top bit marks a head
  bool crossing = false;         ///< flits are still to cross
  bool ejecting = false;         ///< flits are still to reach the node

  /// Flits that have passed a point before `now` if the first one passes it in `first`.
  std::int32_t passed(Cycle first, Cycle now) const { return std::int32_t(std::clamp<Cycle>(now - first, 0, count)); }
};

/// Credits that streams return to a virtual channel, one in each cycle of a stream, in order of time.
class CreditStreams {
 public:
  /// `begin` is after the credits of the streams added before.
  void add(Cycle begin, std::int32_t count) {
    if (full()) grow();
    ring_[(first_ + size_++) & mask()] = {begin, count};
  }
  /// Whether add() will need more memory.
  bool full() const { return size_ == std::uint32_t(ring_.size()); }
  /// The stream added last has `fewer` flits than it was added with, none of which has returned its credit.
  void shorten(std::int32_t fewer) { ring_[(first_ + size_ - 1) & mask()].count -= fewer; }
  /// Removes the credits that are back in cycle `now`, and returns their number.
  std::int32_t take(Cycle now) {
    std::int32_t taken = 0;
    for (; size_ > 0 && ring_[first_].begin <= now; first_ = (first_ + 1) & mask(), --size_) {
      Entry& entry = ring_[first_];
      const auto back = std::int32_t(std::min<Cycle>(entry.count, now - entry.begin + 1));
      taken += back;
      entry.begin += back;
      entry.count -= back;
      if (entry.count > 0) break;
    }
    return taken;
  }
  /// Cycle at which `count` further credits have returned; -1 if fewer are in flight.
  Cycle when(std::int32_t count) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      const Entry& entry = ring_[(first_ + i) & mask()];
      if (count <= entry.count) return entry.begin + count - 1;
      count -= entry.count;
    }
    return -1;
  }
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < size_; ++i) sum += ring_[(first_ + i) & mask()].count;
    return sum;
  }
  /// Has the host fetch where the next stream is added.
  void prefetch() const {
    if (!ring_.empty()) __builtin_prefetch(&ring_[(first_ + size_) & mask()]);
  }

 private:
  struct Entry {
    Cycle begin = 0;
    std::int32_t count = 0;
  };
  std::uint32_t mask() const { return std::uint32_t(ring_.size()) - 1; }
  void grow() {
    std::vector<Entry> larger(std::max<std::size_t>(4, 2 * ring_.size()));
    for (std::uint32_t i = 0; i < size_; ++i) larger[i] = ring_[(first_ + i) & mask()];
    ring_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Entry> ring_;  ///< a power of two of entries
  std::uint32_t first_ = 0, size_ = 0;
};

/// Streams by number. Numbers are reused when nothing refers to the stream.
class StreamPool {
 public:
  StreamId make(const FlitStream& stream) {
    if (free_.empty()) {
      streams_.push_back(stream);
      return StreamId(streams_.size() - 1);
    }
    const StreamId id = free_.back();
    free_.pop_back();
    streams_[id] = stream;
    return id;
  }
  void use(StreamId id) { ++streams_[id].uses; }
  void drop(StreamId id) {
    assert(streams_[id].uses > 0);
    if (--streams_[id].uses == 0) free_.push_back(id);
  }
  FlitStream& operator[](StreamId id) { return streams_[id]; }
  const FlitStream& operator[](StreamId id) const { return streams_[id]; }
  template <class F>
  void for_each(F&& visit) const {
    for (const FlitStream& stream : streams_) {
      if (stream.uses > 0) visit(stream);
    }
  }

 private:
  std::vector<FlitStream> streams_;
  std::vector<StreamId> free_;
};

}  // namespace podsim::noc::router
