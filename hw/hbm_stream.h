// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/access_pattern.h"
#include "hw/direction.h"
#include "hw/machine.h"

namespace podsim::hw {

/// One core's half of the HBM as a fluid server of two streams, in cycles of the core clock.
///
/// Requests of one direction are served in the order of arrival. Alone, a contiguous read moves at stream_rate, a
/// write takes write_cost as long. While both directions have contiguous data to move they move equal bytes, and the
/// bus turns around between them: a byte of each takes (2 + turnaround) / stream_rate. For two streams that are always
/// available the total is therefore, with a write_cost of 1,
///
///   time = (r + w + turnaround * min(r, w)) / stream_rate
///
/// which is what loop fusions on TPU v3 measure (read only 1.00, 2:1 1.13, 1:1 1.20 of the pure time, turnaround 0.4).
/// Rows and scattered accesses move at what the bank model sustains for their shape, alone or beside the other
/// direction's (StreamRates). Refresh is spread evenly over all bytes.
///
/// Exact integers: time runs in 2^-20 cycle, work in units of which a stream consumes an integer number per such step,
/// so a byte's cost is right to some parts per million, and nothing depends on absolute time: shifting every arrival
/// by n cycles shifts every completion by n. A request completes at the first whole cycle by which its last byte has
/// moved. Only heads of the queues change rates, so the model steps from event to event.
class HbmStream {
 public:
  struct Completion {
    std::uint64_t tag = 0;
    Direction direction = Direction::read;
    base::Bytes bytes;
    base::Cycles cycle;
  };

  explicit HbmStream(const Machine& machine);

  /// The first byte may move from cycle `arrival` on, which is not before the last advance() nor before an earlier
  /// arrival of that direction.
  void submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag,
              const AccessShape& shape = {});
  /// The cycle of the next completion if nothing else is submitted; nothing when no request is left.
  std::optional<base::Cycles> next_completion() const;
  /// Moves time to `cycle` and appends what completed until then, in the order of completion.
  void advance(base::Cycles cycle, std::vector<Completion>& completed);
  /// Moves time to the next completion, which is its result, and appends what completes in that cycle; not when idle.
  base::Cycles complete_next(std::vector<Completion>& completed) {
    const base::Cycles cycle = *next_completion();
    advance(cycle, completed);
    return cycle;
  }

  /// Whether data of a direction moves at the time of the last advance().
  bool active(Direction direction) const;
  /// Time in which any data moved, in whole cycles rounded down.
  base::Cycles busy() const { return cycles_of_ticks(busy_ticks_); }
  /// The same in 2^-20 cycle, so that differences are exact.
  std::int64_t busy_ticks() const { return busy_ticks_; }
  static base::Cycles cycles_of_ticks(std::int64_t ticks) { return base::Cycles(ticks >> tick_bits); }
  static std::int64_t ticks_of_cycles(base::Cycles cycles) { return cycles.value() << tick_bits; }
  /// When a waiting request's data begin to move, if that is after the last advance().
  std::optional<base::Cycles> next_arrival() const;
  bool idle() const { return queues_[0].empty() && queues_[1].empty(); }
  /// Bytes per cycle that move at the time of the last advance(), both directions together.
  double bytes_per_cycle() const;
  /// Empties the queues and forgets the time, keeping memory.
  void reset();

 private:
  static constexpr int tick_bits = 20;
  using Units = std::array<std::int64_t, 2>;  ///< of work, by direction

  struct Request {
    std::int64_t arrival = 0;    ///< ticks
    std::int64_t remaining = 0;  ///< work units
    base::Bytes bytes;
    std::uint64_t tag = 0;
    AccessShape shape;
  };
  /// FIFO on a vector: a deque allocates even when empty.
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
  /// The heads' progress, apart from the queues so that the future can be computed without changing the present.
  struct State {
    std::int64_t now = 0;  ///< ticks
    std::array<std::int64_t, 2> remaining{};
    std::array<std::int64_t, 2> arrival{};
    std::array<bool, 2> present{};
    std::array<AccessShape, 2> shape{};
  };
  struct Step {
    std::int64_t until = 0;
    std::array<bool, 2> moving{};
    std::array<bool, 2> done{};
    Units units{};  ///< per tick
  };

  State state() const;
  Step step(const State& state, std::int64_t limit) const;
  void apply(State& state, const Step& step) const;
  Units units_per_tick(const State& state, const std::array<bool, 2>& moving) const;
  Units units_of(const std::array<base::Bandwidth, 2>& rates) const;

  HbmParameters hbm_;
  double clock_;  ///< Hz
  std::int64_t units_per_byte_;
  Units alone_;          ///< units per tick of a contiguous read and write alone
  std::int64_t shared_;  ///< units per tick of each of them while both have work
  std::array<Queue, 2> queues_;
  std::int64_t now_ = 0;
  std::int64_t busy_ticks_ = 0;
};

}  // namespace podsim::hw
