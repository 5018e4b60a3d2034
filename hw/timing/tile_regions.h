// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/access_pattern.h"
#include "hw/tile_op.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::timing {

/// Assigns HBM addresses to the traffic of an op, which the tile level leaves open. The k-th read (or write) of the
/// tiles of one run is a stream with its own region, which the tiles of the run go through in order; one of another
/// memory has none:
///
/// - contiguous transfers lie end to end;
/// - strided rows of consecutive tiles first fill the gaps between the rows of the first tile, then continue after it;
/// - scattered rows lie anywhere in the region, whose size is their span.
///
/// Regions follow one another in the order of runs, reads before writes, each beginning at a multiple of `alignment`.
/// Addresses beyond the capacity of the HBM wrap around to its beginning.
class TileRegions {
 public:
  TileRegions(const TileOp& op, base::Bytes capacity, base::Bytes alignment);

  /// Bytes that transfer number `transfer` among the reads (or writes) of tile `tile` of run `run` touches in the HBM.
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

}  // namespace podsim::hw::timing
