// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/tile_cursor.h"

namespace podsim::hw {

/// Scalar code of one op between a tile's phases and the next tile's, in cycles of the core clock: finding out what
/// comes next, and preparing the descriptors of the tile's writes and of the reads that `ahead` stands at:
///
///   control = tile + transfer * (writes + reads)
///
/// An op of one tile has no loop, and its descriptors are ready, as are those that any op begins with. Both constants
/// are measured on bundles.
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

}  // namespace podsim::hw
