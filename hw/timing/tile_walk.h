// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "hw/op_result.h"
#include "hw/timing/control_timing.h"
#include "hw/timing/dma_timing.h"
#include "hw/timing/hbm_stream.h"
#include "hw/timing/level_streams.h"
#include "hw/timing/phase_timing.h"
#include "hw/timing/tile_loop.h"

namespace podsim::hw::timing {

/// Cost of one tile's phases.
struct TileCost {
  base::Cycles duration;
  UnitCycles busy;
};

inline TileCost tile_cost(const PhaseTiming& timing, const TileWork& work) {
  TileCost cost;
  for (const TilePhase& phase : work.phases) {
    cost.duration += timing.duration(phase);
    timing.add_busy(phase, cost.busy);
  }
  return cost;
}

/// Executes the tile loop of one op (tile_loop.h) over a memory with submit(), advance() and complete_next() as in
/// HbmStream: HbmStream itself (TilePipeline) or BankStream (op_cycles_on_banks). Transfers of declared levels of
/// memory proceed concurrently (LevelStreams).
template <class Memory>
class TileWalk {
 public:
  /// Simulates at most `limit` tiles of every run of equal tiles; each further tile is assumed to cost the average of
  /// the last `averaged` of them. The memory is idle at cycle 0.
  TileWalk(const Machine& machine, const PhaseTiming& phases, Memory& memory, const TileOp& op, std::int64_t limit,
           std::int64_t averaged)
      : op_(op),
        phases_(phases),
        memory_(memory),
        levels_(machine),
        dma_(machine),
        control_(machine, op),
        limit_(limit),
        averaged_(averaged) {}

  /// Returns the cost of the simulated tiles.
  OpResult run() {
    run_tile_loop(op_, control_, limit_, *this);
    result_.cycles = now_;
    return result_;
  }

  /// Estimated cycles of the tiles beyond the limit.
  base::Cycles extrapolated() const { return extrapolated_; }

  // What the loop performs.

  void issue(Direction direction, const TileCursor& tile, std::size_t half) {
    const TileWork& work = tile.run().work;
    for (const TileTransfer& transfer : direction == Direction::read ? work.reads : work.writes) {
      issue(direction, transfer, half);
    }
  }
  void wait_for(Direction direction, std::size_t half, std::int64_t tile) {
    if (direction == Direction::write) return wait_for(output_[half], result_.write_wait);
    wait_for(input_[half], tile == 0 ? result_.start_up : result_.read_wait);
  }
  void compute(const TileCursor& tile) {
    if (tile.index() == 0) cost_ = tile_cost(phases_, tile.run().work);
    now_ += cost_.duration;
    result_.compute += cost_.duration;
    add(cost_.busy, result_.busy);
    ++result_.tiles;
  }
  void control(base::Cycles cycles) {
    now_ += cycles;
    result_.control += cycles;
    result_.busy.of<Scalar>() += cycles;
  }
  void end_of(const TileCursor& tile) {
    if (limit_ >= tile.run().count) return;
    if (tile.index() == limit_ - averaged_ - 1) averaging_from_ = now_;
    if (tile.index() != limit_ - 1) return;
    extrapolated_ += (tile.run().count - limit_) * (now_ - averaging_from_) / averaged_;
  }
  void drain() {
    for (Buffer& buffer : output_) wait_for(buffer, result_.drain);
    wait_until(dma_.free_at(), result_.drain);
  }

 private:
  /// Half of a double buffer: its descriptors issued and completed since the start of the op.
  struct Buffer {
    std::int64_t issued = 0, completed = 0;
  };

  void issue(Direction direction, const TileTransfer& transfer, std::size_t half) {
    advance(now_);
    while (outstanding_ >= dma_.queue_depth()) wait_until(complete_next(), result_.write_wait);
    auto& buffers = direction == Direction::read ? input_ : output_;
    const base::Cycles arrival = dma_.arrival(now_, direction, transfer.level);
    ++buffers[half].issued;
    ++outstanding_;
    if (transfer.level != level::hbm) return levels_.submit(transfer.level, direction, transfer.bytes, arrival, half);
    memory_.submit(direction, transfer.bytes, arrival, half, transfer.shape);
    (direction == Direction::read ? result_.read_bytes : result_.written_bytes) += transfer.bytes;
  }

  void wait_for(const Buffer& buffer, base::Cycles& wait) {
    while (buffer.completed < buffer.issued) wait_until(complete_next(), wait);
  }

  void wait_until(base::Cycles cycle, base::Cycles& wait) {
    if (cycle <= now_) return;
    wait += cycle - now_;
    now_ = cycle;
  }

  /// Records what the memories have completed by `cycle`.
  void advance(base::Cycles cycle) {
    memory_.advance(cycle, completed_);
    levels_.advance(cycle, completed_);
    take();
  }
  base::Cycles complete_next() {
    const base::Cycles limit = levels_.idle() ? HbmStream::no_limit : levels_.next_completion();
    const base::Cycles cycle = memory_.complete_next(completed_, limit);
    levels_.advance(cycle, completed_);
    take();
    return cycle;
  }
  void take() {
    for (const HbmStream::Completion& completion : completed_) {
      auto& buffers = completion.direction == Direction::read ? input_ : output_;
      ++buffers[completion.tag].completed;
      --outstanding_;
    }
    completed_.clear();
  }

  const TileOp& op_;
  const PhaseTiming& phases_;
  Memory& memory_;
  LevelStreams levels_;
  DmaTiming dma_;
  ControlTiming control_;
  std::int64_t limit_, averaged_;
  std::int64_t outstanding_ = 0;
  std::array<Buffer, 2> input_, output_;
  TileCost cost_;
  base::Cycles now_, averaging_from_, extrapolated_;
  OpResult result_;
  std::vector<HbmStream::Completion> completed_;
};

}  // namespace podsim::hw::timing
