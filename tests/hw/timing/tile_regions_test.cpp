// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/tile_regions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/hw/random_op.h"

namespace podsim::hw::timing {
namespace {

constexpr base::Bytes capacity{16LL << 30}, alignment{1024};

/// All transfers of an op, tile by tile.
std::vector<AccessPattern> all(const TileOp& op, const TileRegions& regions) {
  std::vector<AccessPattern> list;
  for (std::size_t run = 0; run < op.runs.size(); ++run) {
    const TileWork& work = op.runs[run].work;
    for (std::int64_t tile = 0; tile < op.runs[run].count; ++tile) {
      for (std::size_t i = 0; i < work.reads.size(); ++i)
        list.push_back(regions.pattern(run, tile, Direction::read, i));
      for (std::size_t i = 0; i < work.writes.size(); ++i)
        list.push_back(regions.pattern(run, tile, Direction::write, i));
    }
  }
  return list;
}

TEST(TileRegions, TheTilesOfAStreamFollowOneAnother) {
  const TileOp op{"op", {{3, {{{base::Bytes(500)}, {base::Bytes(2000)}}, {}, {{base::Bytes(100)}}}}}, base::Bytes(0)};
  const TileRegions regions(op, capacity, alignment);
  const auto base = [&](std::int64_t tile, Direction direction, std::size_t transfer) {
    return regions.pattern(0, tile, direction, transfer).base;
  };
  for (std::int64_t tile = 0; tile < 3; ++tile) {
    EXPECT_EQ(base(tile, Direction::read, 0), std::uint64_t(500 * tile));
    EXPECT_EQ(base(tile, Direction::read, 1), std::uint64_t(2048 + 2000 * tile));  // after 1500 bytes
    EXPECT_EQ(base(tile, Direction::write, 0), std::uint64_t(8192 + 100 * tile));  // after 6000 more
  }
}

TEST(TileRegions, TilesFillTheGapsBetweenRowsBeforeTheyGoOn) {
  const TileTransfer columns{base::Bytes(4 * 512), AccessShape::rows(base::Bytes(512), 1536)};
  const TileOp op{"op", {{6, {{columns}, {}, {}}}}, base::Bytes(0)};
  const TileRegions regions(op, capacity, alignment);
  std::vector<bool> touched(12 * 1024);
  for (std::int64_t tile = 0; tile < 6; ++tile) {
    const AccessPattern pattern = regions.pattern(0, tile, Direction::read, 0);
    EXPECT_EQ(pattern.rows, 4);
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
      for (std::int64_t byte = 0; byte < 512; ++byte) {
        const std::size_t at = std::size_t(pattern.row_begin(row)) + std::size_t(byte);
        ASSERT_LT(at, touched.size());  // 6 tiles of 2 KiB without a gap
        EXPECT_FALSE(touched[at]);
        touched[at] = true;
      }
    }
  }
}

TEST(TileRegions, ScatteredTilesHaveRowsOfTheirOwnInTheWholeSpan) {
  const base::Bytes span(1 << 20);
  const TileTransfer lookups{base::Bytes(64 * 128), AccessShape::scattered(base::Bytes(128), span)};
  const TileOp op{"op", {{2, {{{base::Bytes(4096)}, lookups}, {}, {}}}}, base::Bytes(0)};
  const TileRegions regions(op, capacity, alignment);
  const AccessPattern first = regions.pattern(0, 0, Direction::read, 1);
  const AccessPattern second = regions.pattern(0, 1, Direction::read, 1);
  EXPECT_EQ(first.base, 8192U);
  EXPECT_EQ(second.base, 8192U);
  EXPECT_EQ(first.span, span);
  EXPECT_NE(first.row_begin(0), second.row_begin(0));
}

RC_GTEST_PROP(TileRegions, NoTwoTransfersTouchTheSameByte, ()) {
  const TileOp op = random_op(3, 5);
  std::vector<AccessPattern> list = all(op, TileRegions(op, capacity, alignment));
  std::erase_if(list, [](const AccessPattern& pattern) { return pattern.bytes() == base::Bytes(0); });
  std::ranges::sort(list, {}, &AccessPattern::base);
  for (std::size_t i = 1; i < list.size(); ++i) {
    RC_ASSERT(list[i - 1].base + std::uint64_t(list[i - 1].bytes().value()) <= list[i].base);
  }
}

RC_GTEST_PROP(TileRegions, StayWithinTheMemory, ()) {
  const TileOp op = random_op(3, 20);
  const base::Bytes little(*rc::gen::inRange(400'000, 2'000'000));
  for (const AccessPattern& pattern : all(op, TileRegions(op, little, alignment))) {
    RC_ASSERT(pattern.base + std::uint64_t(pattern.bytes().value()) <= std::uint64_t(little.value()));
  }
}

}  // namespace
}  // namespace podsim::hw::timing
