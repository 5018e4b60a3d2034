// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/timing/tile_cursor.h"

namespace podsim::hw::timing {

/// Time of an op's scalar code between the phases of one tile and those of the next, in cycles of the core clock. The
/// code determines the next tile and prepares the descriptors of the finished tile's writes and of the reads of the
/// tile at `ahead`:
///
///   control = tile + transfer * (writes + reads)
///
/// An op of one tile has no loop and takes none: its descriptors are ready, as are the first descriptors of every op.
/// Both constants (tile_level.tile_cycles and transfer_cycles) are measured on bundle programs.
class ControlTiming {
 public:
  ControlTiming(const Machine& machine, const TileOp& op) {
    std::int64_t tiles = 0;
    for (const TileRun& run : op.runs) tiles += run.count;
    if (tiles > 1) code_ = machine.tile_level;
  }
  base::Cycles duration(const TileWork& done, const TileCursor& ahead) const {
    const std::size_t reads = ahead.done() ? 0 : ahead.run().work.reads.size();
    return code_.tile + std::int64_t(done.writes.size() + reads) * code_.transfer;
  }

 private:
  TileLevelParameters code_;
};

}  // namespace podsim::hw::timing
