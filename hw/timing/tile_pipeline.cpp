// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/tile_pipeline.h"

#include "hw/timing/tile_walk.h"

namespace podsim::hw::timing {

TilePipeline::TilePipeline(const Machine& machine) : machine_(machine), phases_(machine), hbm_(machine) {}

OpResult TilePipeline::simulate(const TileOp& op, std::span<const HbmStream::Beside> beside) {
  hbm_.reset();
  for (const HbmStream::Beside& transfer : beside) hbm_.submit_beside(transfer);
  OpResult result = TileWalk(machine_, phases_, hbm_, op, TileCursor::no_limit, averaged).run();
  result.hbm_busy = hbm_.busy();
  return result;
}

base::Cycles TilePipeline::estimate(const TileOp& op) {
  hbm_.reset();
  TileWalk walk(machine_, phases_, hbm_, op, window, averaged);
  const base::Cycles simulated = walk.run().cycles;
  return simulated + walk.extrapolated();
}

OpResult simulate_op(const Machine& machine, const TileOp& op) { return TilePipeline(machine).simulate(op); }

base::Cycles estimate_cycles(const Machine& machine, const TileOp& op) { return TilePipeline(machine).estimate(op); }

}  // namespace podsim::hw::timing
