// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/tile_pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace podsim::workloads::measured {
namespace {

using Sizes = std::vector<std::int64_t>;

sw::ir::Shape shape(sw::ir::ElementType type, Sizes sizes, std::vector<int> layout) {
  sw::ir::Shape result = sw::ir::make_shape(type, std::move(sizes));
  result.minor_to_major = std::move(layout);
  return result;
}

hw::AccessShape pieces(std::int64_t row, std::int64_t pitch) { return hw::AccessShape::rows(base::Bytes(row), pitch); }

// Images of 32 samples in the sublanes and 256 channels in the lanes: 12 x 12 x 4 x 2 layout tiles of 4 KiB.
TEST(TilePieces, EndWithTheFirstDimensionThatATileDoesNotCover) {
  const sw::ir::Shape images = shape(sw::ir::ElementType::f32, {32, 12, 12, 256}, {3, 0, 2, 1});
  const auto of = [&](Sizes bounds) { return tile_pieces(images, tile_extents(images, bounds)); };
  EXPECT_EQ(of({6, 4, 1, 2}), pieces(8 << 10, 32 << 10));
  EXPECT_EQ(of({6, 2, 4, 2}), pieces(2 * (32 << 10), 12 * (32 << 10)));
  EXPECT_EQ(of({2, 6, 4, 1}), pieces(4 << 10, 8 << 10));
  EXPECT_TRUE(of({3, 12, 4, 2}).contiguous()) << "whole images";
  EXPECT_TRUE(of({1, 1, 2, 2}).contiguous()) << "one piece";
  EXPECT_TRUE(of({12, 12, 4, 2}).contiguous()) << "everything";
}

// bf16 in tiles of 2 KiB: half of 32 samples are eight of sixteen KiB for each of 25 pixels.
TEST(TilePieces, FollowTheLayoutOfEachArray) {
  const Sizes sizes{32, 5, 5, 256};
  const sw::ir::Shape from = shape(sw::ir::ElementType::bf16, sizes, {3, 0, 2, 1});
  const sw::ir::Shape to = shape(sw::ir::ElementType::bf16, sizes, {3, 2, 1, 0});
  const Sizes extents = tile_extents(to, {16, 5, 1, 2});
  EXPECT_EQ(extents, (Sizes{16, 5, 8, 256}));
  EXPECT_EQ(tile_pieces(from, extents), pieces(8 << 10, 16 << 10));
  EXPECT_TRUE(tile_pieces(to, extents).contiguous());
}

}  // namespace
}  // namespace podsim::workloads::measured
