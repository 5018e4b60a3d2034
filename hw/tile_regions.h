// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/access_pattern.h"
#include "hw/hbm_stream.h"
#include "hw/tile_op.h"

namespace podsim::hw {

/// Where the traffic of an op lies in the HBM, which the tile level does not say: every transfer of a run, the first
/// read of its tiles, the second and so on, is a stream with a region of its own, which its tiles go through one after
/// the other: contiguous ones end to end; rows so that the next tiles fill the gaps between them before they go on;
/// scattered ones anywhere in all of it, whose size is their span. Regions follow one another in the order of runs,
/// reads before writes, each from a multiple of `alignment` on; what does not fit into the HBM begins again at its
/// bottom.
class TileRegions {
 public:
  TileRegions(const TileOp& op, base::Bytes capacity, base::Bytes alignment);

  /// What the transfer with this number among the tile's reads or writes touches.
  AccessPattern pattern(std::size_t run, std::int64_t tile, Direction direction, std::size_t transfer) const;

 private:
  struct Stream {
    std::int64_t begin = 0;
    TileTransfer tile;
  };
  using RunStreams = std::array<std::vector<Stream>, 2>;

  static std::int64_t extent(const TileTransfer& tile, std::int64_t tiles);

  std::int64_t capacity_;
  std::vector<RunStreams> runs_;
};

}  // namespace podsim::hw
