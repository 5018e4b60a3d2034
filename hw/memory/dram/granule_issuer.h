// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "hw/memory/dram/memory_stream.h"
#include "hw/memory/dram/memory_system.h"

namespace podsim::hw::memory::dram {

/// DMA engines with one core's half of the HBM, without SystemC. Streams wait in lanes, each of which is a queue, and
/// the heads of an engine's lanes take turns, granule by granule. At most `outstanding` granules of each engine are in
/// flight and at most one is issued per clock; engines take turns to be first. A head whose channel has no room passes
/// its turn on. Times are clocks of the memory.
class GranuleIssuer {
 public:
  struct Completion {
    std::uint64_t tag = 0;
    base::Cycles clock;  ///< when the last data of the stream have moved
  };

  /// Engines with that many lanes each. Lanes are numbered over all engines.
  GranuleIssuer(const parts::hbm::DramParameters& parameters, int lanes, std::int64_t outstanding, int engines = 1);

  /// Queues a stream; none of it is issued before `arrival`, which is not before an earlier arrival in the lane. A
  /// stream of 0 bytes completes when it reaches the head of its lane and has arrived.
  void submit(int lane, const MemoryStream& stream, base::Cycles arrival, std::uint64_t tag);
  /// Moves to `clock`, or to the first clock in which a stream completes if that is earlier, and appends what completes
  /// then.
  void advance(base::Cycles clock, std::vector<Completion>& completed);
  base::Cycles now() const { return memory_.now(); }
  bool idle() const { return left_ == 0; }

  const MemorySystem& memory() const { return memory_; }
  MemorySystem& memory() { return memory_; }
  /// From now on a lane issues at most `granules` granules more than any other lane of its engine whose head waits, as
  /// if the writes depended on the reads.
  void keep_together(std::int64_t granules) { max_ahead_ = granules; }
  /// Sets the function to call whenever the memory has moved, with its current clock.
  void on_advance(std::function<void(base::Cycles)> advanced) { advanced_ = std::move(advanced); }
  /// Bytes of completed granules, by direction and by lane.
  const std::array<base::Bytes, 2>& moved() const { return bytes_moved_; }
  const std::vector<base::Bytes>& moved_by_lane() const { return bytes_of_lanes_; }
  /// Latency of every granule, from its issue to its last data, in order of completion.
  const std::vector<base::Cycles>& latencies() const { return latencies_; }

 private:
  struct Stream {
    StreamGranules cursor;
    base::Cycles arrival;
    std::uint64_t tag;
    std::int64_t in_flight = 0;
  };
  struct Granule {
    std::size_t stream = 0, lane = 0;
    Direction direction = Direction::read;
    base::Bytes bytes;
    base::Cycles issued;
  };

  struct Engine {
    std::size_t first_lane = 0;
    std::size_t turn = 0;  ///< the lane that goes first, counted from first_lane
    std::int64_t outstanding = 0;
    bool issued = false;  ///< in this clock
  };

  std::optional<std::size_t> next_lane(const Engine& engine) const;
  bool is_ahead(const Engine& engine, std::size_t lane) const;
  Engine& engine_of(std::size_t lane) { return engines_[lane / lanes_each_]; }
  void issue_in_turn();
  const Stream* waiting_head(std::size_t lane) const;
  void issue(std::size_t lane);
  void leave_lane(std::size_t lane);
  void finish(std::size_t stream, std::vector<Completion>& completed);
  void collect(std::vector<Completion>& completed);
  base::Cycles next_stop(base::Cycles limit) const;
  std::size_t new_stream(const Stream& stream);
  std::uint64_t new_granule(const Granule& granule);

  MemorySystem memory_;
  base::Bytes interleave_;
  std::int64_t limit_;
  std::int64_t left_ = 0;  ///< streams not complete
  std::size_t lanes_each_;
  std::vector<std::deque<std::size_t>> lanes_;
  std::vector<Engine> engines_;
  std::size_t first_engine_ = 0;
  std::vector<std::int64_t> issued_;  ///< granules, by lane
  std::int64_t max_ahead_ = std::numeric_limits<std::int64_t>::max();
  std::vector<Stream> streams_;
  std::vector<std::size_t> free_streams_;
  std::vector<Granule> granules_;
  std::vector<std::uint64_t> free_granules_;
  std::vector<MemoryCompletion> moved_;
  std::array<base::Bytes, 2> bytes_moved_;
  std::vector<base::Bytes> bytes_of_lanes_;
  std::vector<base::Cycles> latencies_;
  std::function<void(base::Cycles)> advanced_;
};

}  // namespace podsim::hw::memory::dram
