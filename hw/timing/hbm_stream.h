// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "hw/access_pattern.h"
#include "hw/direction.h"
#include "hw/machine.h"
#include "hw/memory/dram/stream_rates.h"

namespace podsim::hw::timing {

/// Models one core's half of the HBM as a fluid server of two streams, reads and writes, in cycles of the core clock.
///
/// Requests of one direction are served in order of arrival. Alone, a contiguous read moves at stream_rate and a
/// contiguous write takes write_cost times as long. While both directions have contiguous data to move, they move equal
/// bytes and the bus turns around between them: one byte of each takes (2 + turnaround) / stream_rate. With a
/// write_cost of 1, two streams of r and w bytes that always have data therefore take
///
///   time = (r + w + turnaround * min(r, w)) / stream_rate
///
/// Loop fusions on TPU v3 measure this: 1.00 of the pure time for reads only, 1.13 at 2:1, 1.20 at 1:1 (turnaround
/// 0.4). Strided rows and scattered accesses move at the rate that the bank model sustains for their shape, alone or
/// concurrently with the other direction's shape (StreamRates). Refresh is spread evenly over all bytes. No direction
/// moves more than a port of the on-chip switch passes (parts::hbm::Parameters::port_rate).
///
/// Concurrent transfers of collectives and copies are those of another DMA engine, a queue for each direction. While
/// both engines have data to move, each engine keeps the part of its rates that the bank model gives for such streams
/// where all are contiguous (StreamRates::contiguous). A request that arrives while such a transfer moves, and none of
/// its own direction, first waits for what the transfer has outstanding at the memory, at most
/// parts::dma::Parameters::granules.
///
/// All arithmetic is in exact integers. Time is counted in ticks of 2^-20 cycle and work in units, of which a stream
/// moves an integer number per tick, so that the cost of a byte is right to some parts per million. Nothing depends on
/// absolute time: shifting every arrival by n cycles shifts every completion by n. A request completes at the first
/// whole cycle by which its last byte has moved. Rates change only when the head of a queue changes, so the model steps
/// from event to event.
class HbmStream {
 public:
  struct Completion {
    std::uint64_t tag = 0;
    Direction direction = Direction::read;
    base::Bytes bytes;
    base::Cycles cycle;
  };

  /// A contiguous transfer of the other engine, concurrent with the requests, from cycle `arrival` on.
  struct Beside {
    Direction direction = Direction::read;
    base::Bytes bytes;
    base::Cycles arrival;
  };

  /// By stream: reads and writes of requests, then reads and writes of concurrent transfers.
  using Shares = std::array<double, 4>;

  explicit HbmStream(const Machine& machine);

  /// What each of the streams that have data to move keeps of its rate without those of the other engine, the same for
  /// both of an engine; 0 for others. Ratios of StreamRates::contiguous().
  const Shares& shares(const memory::dram::StreamRates::Streams& moving) const;

  /// Queues a concurrent transfer, behind those of its direction. Its arrival is not before theirs. A request that
  /// arrives in the same cycle is behind it, unless time has been advanced to that cycle. It has no completion.
  void submit_beside(const Beside& transfer);
  /// Takes back the part of the concurrent transfers that has not moved.
  void drop_beside();

  /// Queues a request. Its first byte may move from cycle `arrival`, which is not before the last advance() nor before
  /// an earlier arrival of the same direction.
  void submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag,
              const AccessShape& shape = {});
  /// Cycle of the next completion if nothing else is submitted; std::nullopt when idle.
  std::optional<base::Cycles> next_completion() const;
  /// Moves time to `cycle` and appends the requests that complete until then, in order of completion.
  void advance(base::Cycles cycle, std::vector<Completion>& completed);
  /// Moves time to the next completion, but to `limit` at most, appends what completes in that cycle, and returns the
  /// cycle. Without a limit, a request must wait or move.
  base::Cycles complete_next(std::vector<Completion>& completed, base::Cycles limit = no_limit);
  static constexpr base::Cycles no_limit{std::numeric_limits<std::int64_t>::max()};

  /// Returns whether data of this direction are moving at the time of the last advance().
  bool active(Direction direction) const;
  /// Time during which data of any request moved, in whole cycles, rounded down.
  base::Cycles busy() const { return cycles_of_ticks(busy_ticks_); }
  /// As busy(), in ticks, so that differences are exact.
  std::int64_t busy_ticks() const { return busy_ticks_; }
  static base::Cycles cycles_of_ticks(std::int64_t ticks) { return base::Cycles(ticks >> tick_bits); }
  static std::int64_t ticks_of_cycles(base::Cycles cycles) { return cycles.value() << tick_bits; }
  /// Cycle of the next arrival after the last advance(), at which waiting data begin to move; std::nullopt if there is
  /// none.
  std::optional<base::Cycles> next_arrival() const;
  bool idle() const { return requests_idle() && !beside(); }
  /// Returns whether no request waits or moves; concurrent transfers may.
  bool requests_idle() const { return queues_[0].empty() && queues_[1].empty(); }
  /// Data that a DMA engine has outstanding at the memory.
  static base::Bytes outstanding(const Machine& machine);
  /// Bytes per cycle moving at the time of the last advance(), both directions added.
  double bytes_per_cycle() const;
  /// Empties the queues and sets time to 0; keeps allocated memory.
  void reset();
  /// Sets time to 0 while idle(). Ticks of 64 bits hold two hours of simulated time.
  void restart() { now_ = 0; }

 private:
  static constexpr int tick_bits = 20;
  /// Streams: reads and writes of requests, then reads and writes of concurrent transfers. stream % 2 is the direction.
  static constexpr std::size_t max_streams = 4;
  using Units = std::array<std::int64_t, 2>;                  ///< work units, by direction
  using StreamUnits = std::array<std::int64_t, max_streams>;  ///< by stream
  using Moving = memory::dram::StreamRates::Streams;

  struct Request {
    std::int64_t arrival = 0;    ///< ticks
    std::int64_t remaining = 0;  ///< work units
    base::Bytes bytes;
    std::uint64_t tag = 0;
    AccessShape shape;
    bool is_met = false;  ///< has arrived, and its arrival is behind what was outstanding then
  };
  /// A FIFO on a vector, since a deque allocates even when empty.
  class Queue {
   public:
    bool empty() const { return head_ == requests_.size(); }
    Request& front() { return requests_[head_]; }
    const Request& front() const { return requests_[head_]; }
    void push(const Request& request) { requests_.push_back(request); }
    void pop();
    void clear() { requests_.clear(), head_ = 0; }

   private:
    std::vector<Request> requests_;
    std::size_t head_ = 0;
  };
  /// Progress of the queue heads, separate from the queues so that the future can be computed without changing
  /// them.
  struct State {
    std::int64_t now = 0;     ///< ticks
    std::size_t streams = 2;  ///< 4 while there are concurrent transfers
    StreamUnits remaining{};
    StreamUnits arrival{};
    Moving present{};
    std::array<bool, 2> is_met{};  ///< of the requests, as the next
    std::array<AccessShape, 2> shape{};
  };
  struct Step {
    std::int64_t until = 0;
    Moving moving{};
    Moving done{};
    StreamUnits units{};  ///< per tick
  };

  base::Cycles now_in_cycles() const { return base::Cycles(base::divide_round_up(now_, 1LL << tick_bits)); }
  State state() const;
  void meet(State& state) const;
  Step step(const State& state, std::int64_t limit) const;
  static void apply(State& state, const Step& step);
  bool take_step(std::int64_t limit, std::vector<Completion>& completed);
  bool moving(std::size_t stream) const { return !queues_[stream].empty() && queues_[stream].front().arrival <= now_; }
  bool beside() const { return !queues_[2].empty() || !queues_[3].empty(); }
  StreamUnits units_per_tick(const State& state, const Moving& moving) const;
  Units units_of_requests(const State& state, const std::array<bool, 2>& moving) const;
  Units units_of(const std::array<base::Bandwidth, 2>& rates) const;

  parts::hbm::Parameters hbm_;
  std::shared_ptr<memory::dram::StreamRates> rates_;  ///< of non-contiguous transfers
  double clock_;                                      ///< Hz
  std::int64_t units_per_byte_;
  std::int64_t port_ = std::numeric_limits<std::int64_t>::max();  ///< units per tick of a direction, at most
  Units alone_;               ///< units per tick of a contiguous read or write alone
  std::int64_t shared_;       ///< units per tick of each direction while both are contiguous
  std::int64_t outstanding_;  ///< work units of the granules that a DMA engine has outstanding
  mutable std::array<std::optional<Shares>, 1 << max_streams> shares_;  ///< of the streams that move, as bits
  std::array<Queue, max_streams> queues_;
  std::int64_t now_ = 0;
  std::int64_t busy_ticks_ = 0;
};

}  // namespace podsim::hw::timing
