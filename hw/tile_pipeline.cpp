// SPDX-License-Identifier: Apache-2.0
#include "hw/tile_pipeline.h"

#include <algorithm>
#include <array>

#include "hw/control_timing.h"
#include "hw/dma_timing.h"
#include "hw/tile_cursor.h"

namespace podsim::hw {

namespace {

/// What the phases of one tile cost.
struct TileCost {
  base::Cycles duration, mxu_busy, vector_busy, cross_lane_busy;
};

TileCost tile_cost(const PhaseTiming& timing, const TileWork& work) {
  TileCost cost;
  for (const TilePhase& phase : work.phases) {
    cost.duration += timing.duration(phase);
    for (std::int64_t unit = 0; unit < timing.mxu().units(); ++unit) {
      cost.mxu_busy += timing.mxu().span(timing.mxu().tiles_on(unit, phase.mxu.weight_tiles), phase.mxu.rows).total();
    }
    cost.vector_busy += timing.vector().duration(phase.vector);
    cost.cross_lane_busy += timing.cross_lane().duration(phase.cross_lane_ops);
  }
  return cost;
}

}  // namespace

/// The sequencer's walk through one op.
class TilePipeline::Run {
 public:
  Run(TilePipeline& pipeline, const Machine& machine, const TileOp& op, std::int64_t limit)
      : pipeline_(pipeline),
        dma_(machine),
        control_(machine, op),
        fetch_(op, limit),
        execute_(op, limit),
        limit_(limit) {
    pipeline_.hbm_.reset();
  }

  OpResult run() {
    fetch();
    fetch();
    for (std::int64_t tile = 0; !execute_.done(); ++tile) execute(tile);
    for (Buffer& buffer : output_) wait_for(buffer, result_.drain);
    wait_until(dma_.free_at(), result_.drain);
    result_.cycles = now_;
    result_.hbm_busy = pipeline_.hbm_.busy();
    return result_;
  }

  /// Cycles of the tiles beyond the limit, had they been simulated.
  base::Cycles extrapolated() const { return extrapolated_; }

 private:
  /// Half of a double buffer: descriptors issued for it and completed, since the op's start.
  struct Buffer {
    std::int64_t issued = 0, completed = 0;
  };

  void execute(std::int64_t tile) {
    const std::size_t half = std::size_t(tile % 2);
    if (execute_.index() == 0) cost_ = tile_cost(pipeline_.phases_, execute_.run().work);
    wait_for(input_[half], tile == 0 ? result_.start_up : result_.read_wait);
    wait_for(output_[half], result_.write_wait);
    now_ += cost_.duration;
    account();
    control(control_.duration(execute_.run().work, fetch_));
    for (const TileTransfer& transfer : execute_.run().work.writes) issue(Direction::write, transfer.bytes, half);
    if (limit_ < execute_.run().count) extrapolate();
    execute_.next();
    fetch();
  }

  void account() {
    result_.compute += cost_.duration;
    result_.mxu_busy += cost_.mxu_busy;
    result_.vector_busy += cost_.vector_busy;
    result_.cross_lane_busy += cost_.cross_lane_busy;
    ++result_.tiles;
  }

  void fetch() {
    if (fetch_.done()) return;
    for (const TileTransfer& transfer : fetch_.run().work.reads) issue(Direction::read, transfer.bytes, fetched_ % 2);
    fetch_.next();
    ++fetched_;
  }

  void control(base::Cycles cycles) {
    now_ += cycles;
    result_.control += cycles;
  }

  void issue(Direction direction, base::Bytes bytes, std::size_t half) {
    advance(now_);
    while (outstanding_ >= dma_.queue_depth())
      wait_until(advance(*pipeline_.hbm_.next_completion()), result_.write_wait);
    auto& buffers = direction == Direction::read ? input_ : output_;
    pipeline_.hbm_.submit(direction, bytes, dma_.arrival(now_, direction), half);
    ++buffers[half].issued;
    ++outstanding_;
    (direction == Direction::read ? result_.read_bytes : result_.written_bytes) += bytes;
  }

  void wait_for(const Buffer& buffer, base::Cycles& wait) {
    while (buffer.completed < buffer.issued) wait_until(advance(*pipeline_.hbm_.next_completion()), wait);
  }

  void wait_until(base::Cycles cycle, base::Cycles& wait) {
    if (cycle <= now_) return;
    wait += cycle - now_;
    now_ = cycle;
  }

  /// Takes in what the HBM has completed by then.
  base::Cycles advance(base::Cycles cycle) {
    pipeline_.completed_.clear();
    pipeline_.hbm_.advance(cycle, pipeline_.completed_);
    for (const HbmStream::Completion& completion : pipeline_.completed_) {
      auto& buffers = completion.direction == Direction::read ? input_ : output_;
      ++buffers[completion.tag].completed;
      --outstanding_;
    }
    return cycle;
  }

  void extrapolate() {
    if (execute_.index() == limit_ - averaged - 1) averaging_from_ = now_;
    if (execute_.index() != limit_ - 1) return;
    extrapolated_ += (execute_.run().count - limit_) * (now_ - averaging_from_) / averaged;
  }

  TilePipeline& pipeline_;
  DmaTiming dma_;
  ControlTiming control_;
  TileCursor fetch_, execute_;
  std::int64_t limit_;
  std::size_t fetched_ = 0;
  std::int64_t outstanding_ = 0;
  std::array<Buffer, 2> input_, output_;
  TileCost cost_;
  base::Cycles now_, averaging_from_, extrapolated_;
  OpResult result_;
};

TilePipeline::TilePipeline(const Machine& machine) : machine_(machine), phases_(machine), hbm_(machine) {}

OpResult TilePipeline::simulate(const TileOp& op) { return Run(*this, machine_, op, TileCursor::no_limit).run(); }

base::Cycles TilePipeline::estimate(const TileOp& op) {
  Run run(*this, machine_, op, window);
  const base::Cycles simulated = run.run().cycles;
  return simulated + run.extrapolated();
}

OpResult simulate_op(const Machine& machine, const TileOp& op) { return TilePipeline(machine).simulate(op); }

base::Cycles estimate_cycles(const Machine& machine, const TileOp& op) { return TilePipeline(machine).estimate(op); }

}  // namespace podsim::hw
