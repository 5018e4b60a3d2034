// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "hw/memory/memory_stream.h"
#include "hw/memory/memory_system.h"

namespace podsim::hw {

/// A DMA engine in front of one core's half of the HBM, without SystemC: streams wait in lanes, each lane a queue, and
/// the heads of all lanes take turns, granule by granule. At most `outstanding` granules are on their way, and one is
/// issued per clock. A head whose channel has no room loses its turn to the others. Times are clocks of the memory.
class GranuleIssuer {
 public:
  struct Completion {
    std::uint64_t tag = 0;
    base::Cycles clock;  ///< the last data of the stream have moved
  };

  GranuleIssuer(const DramParameters& parameters, int lanes, std::int64_t outstanding);

  /// `arrival`, before which nothing of the stream is issued, is not before an earlier one of the lane. A stream of no
  /// bytes completes on its turn.
  void submit(int lane, const MemoryStream& stream, base::Cycles arrival, std::uint64_t tag);
  /// Moves to `clock`, or to the first clock in which a stream completes if that is earlier, and appends what completed
  /// then.
  void advance(base::Cycles clock, std::vector<Completion>& completed);
  base::Cycles now() const { return memory_.now(); }
  bool idle() const { return left_ == 0; }

  const MemorySystem& memory() const { return memory_; }
  MemorySystem& memory() { return memory_; }
  /// To be called whenever the memory has moved, with the clock that it has come to.
  void on_advance(std::function<void(base::Cycles)> advanced) { advanced_ = std::move(advanced); }
  /// Bytes whose granules are complete, by direction.
  const std::array<base::Bytes, 2>& moved() const { return bytes_moved_; }
  /// Of every granule, from its issue to its last data, in the order of completion.
  const std::vector<base::Cycles>& latencies() const { return latencies_; }

 private:
  struct Stream {
    GranuleCursor cursor;
    base::Cycles arrival;
    std::uint64_t tag;
    std::int64_t in_flight = 0;
  };
  struct Granule {
    std::size_t stream = 0;
    Direction direction = Direction::read;
    base::Bytes bytes;
    base::Cycles issued;
  };

  std::optional<std::size_t> next_lane() const;
  const Stream* waiting_head(std::size_t lane) const;
  void issue(std::size_t lane);
  void leave_lane(std::size_t lane);
  void finish(std::size_t stream, std::vector<Completion>& completed);
  void collect(std::vector<Completion>& completed);
  base::Cycles next_stop(base::Cycles limit, bool issued) const;
  std::size_t new_stream(const Stream& stream);
  std::uint64_t new_granule(const Granule& granule);

  MemorySystem memory_;
  base::Bytes interleave_;
  std::int64_t limit_;
  std::int64_t outstanding_ = 0;
  std::int64_t left_ = 0;  ///< streams
  std::vector<std::deque<std::size_t>> lanes_;
  std::size_t turn_ = 0;  ///< the lane that comes first
  std::vector<Stream> streams_;
  std::vector<std::size_t> free_streams_;
  std::vector<Granule> granules_;
  std::vector<std::uint64_t> free_granules_;
  std::vector<MemoryCompletion> moved_;
  std::array<base::Bytes, 2> bytes_moved_;
  std::vector<base::Cycles> latencies_;
  std::function<void(base::Cycles)> advanced_;
};

}  // namespace podsim::hw
