// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/machine.h"

namespace podsim::hw {

enum class Direction { read, write };

/// One core's half of the HBM as a fluid server of two streams, in cycles of the core clock.
///
/// Requests of one direction are served in the order of arrival. A direction alone moves stream_rate bytes per second.
/// While both have work they move equal bytes, and the bus turns around between them: a byte of each costs
/// (2 + turnaround) byte times. For two streams that are always available the total is therefore
///
///   time = (r + w + turnaround * min(r, w)) / stream_rate
///
/// which is what loop fusions on TPU v3 measure (read only 1.00, 2:1 1.13, 1:1 1.20 of the pure time, turnaround 0.4).
///
/// Exact integers: time runs in 2^-24 cycle, work in units of which a lone stream consumes an integer number per such
/// step, so a byte's cost is right to about a part per million, and nothing depends on absolute time: shifting every
/// arrival by n cycles shifts every completion by n. A request completes at the first whole cycle by which its last
/// byte has moved. Only heads of the queues change rates, so the model steps from event to event.
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
  void submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag);
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
  /// The same in 2^-24 cycle, so that differences are exact.
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
  static constexpr int tick_bits = 24;

  struct Request {
    std::int64_t arrival = 0;    ///< ticks
    std::int64_t remaining = 0;  ///< work units
    base::Bytes bytes;
    std::uint64_t tag = 0;
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
  };
  struct Step {
    std::int64_t until = 0;
    std::array<bool, 2> moving{};
    std::array<bool, 2> done{};
  };

  State state() const;
  Step step(const State& state, std::int64_t limit) const;
  void apply(State& state, const Step& step) const;
  std::int64_t units_per_tick(const Step& step) const { return step.moving[0] && step.moving[1] ? shared_ : alone_; }

  std::int64_t alone_;   ///< units per tick of a direction alone
  std::int64_t shared_;  ///< units per tick of each direction while both have work
  std::int64_t units_per_byte_;
  double rate_;  ///< bytes per cycle of a direction alone
  std::array<Queue, 2> queues_;
  std::int64_t now_ = 0;
  std::int64_t busy_ticks_ = 0;
};

}  // namespace podsim::hw
