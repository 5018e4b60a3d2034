// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/hbm_stream.h"
#include "hw/machine.h"
#include "hw/op_result.h"
#include "hw/phase_timing.h"
#include "hw/tile_op.h"

namespace podsim::hw {

/// The double-buffered pipeline of one op as a recurrence over its tiles, without events. In the order in which the
/// core's sequencer proceeds, i counting tiles:
///
///   reads of tiles 0 and 1 are issued; then for each tile i
///     wait until its reads have completed            (start_up for tile 0, read_wait later)
///     wait until the writes of tile i-2 have completed   (write_wait: two output buffers)
///     run its phases one after another               (compute)
///     find out what comes next (ControlTiming)       (control)
///     issue its writes, then the reads of tile i+2 into the input buffer it frees
///   wait for the last writes                         (drain)
///
/// A descriptor is issued every issue_interval, its data arrive at the HBM after the read or write latency, and the HBM
/// serves both streams as HbmStream says. With the queue of descriptors full, the sequencer waits (write_wait). The op
/// starts on an idle core and HBM, so its duration does not depend on when it starts.
class TilePipeline {
 public:
  explicit TilePipeline(const Machine& machine);

  /// The op's exact cost: what the SystemC core takes, cycle for cycle.
  OpResult simulate(const TileOp& op);

  /// Simulates at most `window` tiles of every run of equal tiles; the others are taken to cost what the last tiles of
  /// the window cost on average. Exact for shorter runs.
  base::Cycles estimate(const TileOp& op);

 private:
  static constexpr std::int64_t window = 48;
  static constexpr std::int64_t averaged = 36;

  Machine machine_;
  PhaseTiming phases_;
  HbmStream hbm_;
};

/// One-off forms of the above.
OpResult simulate_op(const Machine& machine, const TileOp& op);
base::Cycles estimate_cycles(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw
