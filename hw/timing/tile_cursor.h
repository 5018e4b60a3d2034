// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hw/tile_op.h"

namespace podsim::hw::timing {

/// Iterates over the tiles of an op, at most `limit` of each run of equal tiles.
class TileCursor {
 public:
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  explicit TileCursor(const TileOp& op, std::int64_t limit = no_limit) : op_(op), limit_(limit) { skip_empty_runs(); }

  bool done() const { return run_ == op_.runs.size(); }
  const TileRun& run() const { return op_.runs[run_]; }
  std::size_t run_number() const { return run_; }
  std::int64_t index() const { return index_; }  ///< of the tile in its run
  void next() {
    ++index_;
    skip_empty_runs();
  }

 private:
  void skip_empty_runs() {
    while (!done() && index_ >= std::min(run().count, limit_)) {
      ++run_;
      index_ = 0;
    }
  }

  const TileOp& op_;
  std::int64_t limit_;
  std::size_t run_ = 0;
  std::int64_t index_ = 0;
};

}  // namespace podsim::hw::timing
