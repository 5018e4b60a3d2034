// SPDX-License-Identifier: Apache-2.0
#include "hw/tile_regions.h"

namespace podsim::hw {

TileRegions::TileRegions(const TileOp& op, base::Bytes capacity, base::Bytes alignment) : capacity_(capacity.value()) {
  std::int64_t end = 0;
  for (const TileRun& run : op.runs) {
    RunStreams& streams = runs_.emplace_back();
    for (const Direction direction : {Direction::read, Direction::write}) {
      for (const TileTransfer& transfer : direction == Direction::read ? run.work.reads : run.work.writes) {
        streams[std::size_t(direction)].push_back({end, transfer.bytes});
        end += base::round_up(transfer.bytes.value() * run.count, alignment.value());
      }
    }
  }
}

AccessPattern TileRegions::pattern(std::size_t run, std::int64_t tile, Direction direction,
                                   std::size_t transfer) const {
  const Stream& stream = runs_[run][std::size_t(direction)][transfer];
  std::int64_t base = stream.begin + tile * stream.tile.value();
  if (base + stream.tile.value() > capacity_) base %= capacity_ - stream.tile.value() + 1;
  return AccessPattern::contiguous(std::uint64_t(base), stream.tile);
}

}  // namespace podsim::hw
