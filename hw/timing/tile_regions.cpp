// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/tile_regions.h"

#include <algorithm>
#include <cassert>

#include "hw/memory_levels.h"

namespace podsim::hw::timing {
namespace {

/// Number of tiles that fit side by side into the pitch of their rows.
std::int64_t side_by_side(const AccessShape& shape) {
  return std::max<std::int64_t>(1, shape.pitch / shape.row.value());
}

}  // namespace

TileRegions::TileRegions(const TileOp& op, base::Bytes capacity, base::Bytes alignment) : capacity_(capacity.value()) {
  std::int64_t end = 0;
  for (const TileRun& run : op.runs) {
    RunStreams& streams = runs_.emplace_back();
    for (const Direction direction : {Direction::read, Direction::write}) {
      for (const TileTransfer& transfer : direction == Direction::read ? run.work.reads : run.work.writes) {
        streams[std::size_t(direction)].push_back({end, transfer});
        if (transfer.level == level::hbm) end += base::round_up(extent(transfer, run.count), alignment.value());
      }
    }
  }
}

/// Size in bytes of the region that `tiles` consecutive tiles of one stream occupy.
std::int64_t TileRegions::extent(const TileTransfer& tile, std::int64_t tiles) {
  if (tile.shape.contiguous()) return tile.bytes.value() * tiles;
  if (tile.shape.span > base::Bytes(0)) return tile.shape.span.value();
  const std::int64_t rows = tile.bytes / tile.shape.row;
  return rows * tile.shape.pitch * base::divide_round_up(tiles, side_by_side(tile.shape));
}

AccessPattern TileRegions::pattern(std::size_t run, std::int64_t tile, Direction direction,
                                   std::size_t transfer) const {
  const Stream& stream = runs_[run][std::size_t(direction)][transfer];
  const auto& [bytes, shape, memory] = stream.tile;
  assert(memory == level::hbm);
  const std::int64_t length = extent(stream.tile, 1);
  const auto within = [&](std::int64_t base) {
    return std::uint64_t(base + length > capacity_ ? base % (capacity_ - length + 1) : base);
  };
  if (shape.contiguous()) return AccessPattern::contiguous(within(stream.begin + tile * length), bytes);
  const std::int64_t rows = bytes / shape.row;
  if (shape.span > base::Bytes(0)) {
    return AccessPattern::scattered(within(stream.begin), shape.row, rows, shape.span, std::uint64_t(tile));
  }
  const std::int64_t columns = side_by_side(shape);
  const std::int64_t base = stream.begin + tile / columns * length + tile % columns * shape.row.value();
  return {within(base), rows, shape.row, shape.pitch};
}

}  // namespace podsim::hw::timing
