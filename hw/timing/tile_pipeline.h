// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hw/machine.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"
#include "hw/timing/hbm_stream.h"
#include "hw/timing/phase_timing.h"

namespace podsim::hw::timing {

/// Computes the double-buffered pipeline of one op as a recurrence over its tiles, without events. The steps are those
/// of the core's sequencer, in its order, with i counting tiles:
///
///   issue the reads of tiles 0 and 1; then for each tile i
///     wait until its reads have completed            (start_up for tile 0, read_wait later)
///     wait until the writes of tile i-2 have completed   (write_wait: two output buffers)
///     run its phases in sequence                     (compute)
///     run the scalar code for the next tile (ControlTiming)       (control)
///     issue its writes, then the reads of tile i+2 into the input buffer it frees
///   wait for the last writes                         (drain)
///
/// One descriptor issues per issue_interval, its data arrive at the HBM after the read or write latency, and the HBM
/// serves both streams as HbmStream computes. While the descriptor queue is full, the sequencer waits (write_wait). The
/// op starts on an idle core and HBM, so its duration does not depend on when it starts.
class TilePipeline {
 public:
  explicit TilePipeline(const Machine& machine);

  /// Returns the exact cost of the op, equal to that of the SystemC core cycle for cycle. `beside`: other transfers of
  /// its HBM, by their arrival in cycles of the op.
  OpResult simulate(const TileOp& op, std::span<const HbmStream::Beside> beside = {});

  const HbmStream& hbm() const { return hbm_; }

  /// Simulates at most `window` tiles of every run of equal tiles; each further tile is assumed to cost the average of
  /// the last `averaged` of the window. Exact for runs of at most `window` tiles. Returns cycles of the core clock.
  base::Cycles estimate(const TileOp& op);

 private:
  static constexpr std::int64_t window = 48;
  static constexpr std::int64_t averaged = 36;

  Machine machine_;
  PhaseTiming phases_;
  HbmStream hbm_;
};

/// As TilePipeline::simulate() and estimate(), for a single op.
OpResult simulate_op(const Machine& machine, const TileOp& op);
base::Cycles estimate_cycles(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw::timing
