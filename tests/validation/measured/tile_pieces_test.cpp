// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/tile_pieces.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace podsim::validation::measured {
namespace {

using Sizes = std::vector<std::int64_t>;

hlo::Shape shape(hlo::ElementType type, Sizes sizes, std::vector<int> layout) {
  hlo::Shape result = hlo::make_shape(type, std::move(sizes));
  result.minor_to_major = std::move(layout);
  return result;
}

TilePieces pieces(std::int64_t count, std::int64_t kib) { return {count, base::Bytes(kib << 10)}; }

// Images of 32 samples in the sublanes and 256 channels in the lanes: 12 x 12 x 4 x 2 layout tiles of 4 KiB.
TEST(TilePieces, EndWithTheFirstDimensionThatATileDoesNotCover) {
  const hlo::Shape images = shape(hlo::ElementType::f32, {32, 12, 12, 256}, {3, 0, 2, 1});
  const auto of = [&](Sizes bounds) { return tile_pieces(images, tile_extents(images, bounds)); };
  const std::int64_t all = 12 * 12 * 4 * 2 * 4;
  EXPECT_EQ(of({6, 4, 1, 2}), pieces(12 * 12 * 4, all)) << "8 KiB each";
  EXPECT_EQ(of({6, 2, 4, 2}), pieces(12 * 6, all)) << "two pixels of 32 KiB each";
  EXPECT_EQ(of({2, 6, 4, 1}), pieces(12 * 12 * 4 * 2, all)) << "4 KiB each";
  EXPECT_EQ(of({3, 12, 4, 2}), pieces(4, all)) << "whole images";
  EXPECT_EQ(of({12, 12, 4, 2}), pieces(1, all));
}

// bf16 in tiles of 2 KiB: half of 32 samples are eight of sixteen KiB for each of 25 pixels.
TEST(TilePieces, FollowTheLayoutOfEachArray) {
  const Sizes sizes{32, 5, 5, 256};
  const hlo::Shape from = shape(hlo::ElementType::bf16, sizes, {3, 0, 2, 1});
  const hlo::Shape to = shape(hlo::ElementType::bf16, sizes, {3, 2, 1, 0});
  const Sizes extents = tile_extents(to, {16, 5, 1, 2});
  EXPECT_EQ(extents, (Sizes{16, 5, 8, 256}));
  EXPECT_EQ(tile_pieces(from, extents), pieces(2 * 25, 25 * 16));
  EXPECT_EQ(tile_pieces(to, extents), pieces(2, 32 * 5 * 4));
}

// 23 of 24 rows of bf16, two in a word, have all words of a matrix: those of the second one adjoin.
TEST(TilePieces, AreWholeWhereTheyHaveEveryWord) {
  const hlo::Shape array = shape(hlo::ElementType::bf16, {2, 24, 128}, {2, 1, 0});
  EXPECT_EQ(tile_pieces(array, {2, 23, 128}).count, 1 + 2);
}

/// The words of 128 lanes in one tile, by their location in memory.
std::set<std::int64_t> words_of_tile(const Sizes& sizes, const Sizes& extents, const Sizes& tile, std::int64_t packed) {
  const std::int64_t rows = (sizes[1] + 7) / 8 * 8, columns = (sizes[2] + 127) / 128, words = 8 / packed;
  std::set<std::int64_t> places;
  for (std::int64_t matrix = tile[0] * extents[0]; matrix < std::min(sizes[0], (tile[0] + 1) * extents[0]); ++matrix) {
    const std::int64_t end = (tile[1] + 1) * extents[1] >= sizes[1] ? rows : (tile[1] + 1) * extents[1];
    for (std::int64_t row = tile[1] * extents[1]; row < end; ++row) {
      for (std::int64_t lane = tile[2] * extents[2]; lane < std::min(sizes[2], (tile[2] + 1) * extents[2]); ++lane) {
        places.insert(((matrix * rows / 8 + row / 8) * columns + lane / 128) * words + row % 8 / packed);
      }
    }
  }
  return places;
}

// The oracle is the location of every word.
RC_GTEST_PROP(TilePieces, AreTheRunsOfConsecutiveWords, ()) {
  const bool narrow = *rc::gen::arbitrary<bool>();
  const Sizes sizes{*rc::gen::inRange<std::int64_t>(1, 4), *rc::gen::inRange<std::int64_t>(1, 40),
                    *rc::gen::inRange<std::int64_t>(1, 5) * 100};
  const Sizes extents{*rc::gen::inRange<std::int64_t>(1, 5), *rc::gen::inRange<std::int64_t>(1, 42),
                      *rc::gen::inRange<std::int64_t>(1, 5) * 128};
  TilePieces expected;
  const auto tiles = [&](std::size_t d) { return (sizes[d] + extents[d] - 1) / extents[d]; };
  for (std::int64_t matrix = 0; matrix < tiles(0); ++matrix) {
    for (std::int64_t row = 0; row < tiles(1); ++row) {
      for (std::int64_t lane = 0; lane < tiles(2); ++lane) {
        const std::set<std::int64_t> words = words_of_tile(sizes, extents, {matrix, row, lane}, narrow ? 2 : 1);
        for (const std::int64_t word : words) expected.count += words.contains(word - 1) ? 0 : 1;
        expected.bytes += base::Bytes(512 * std::int64_t(words.size()));
      }
    }
  }
  const auto type = narrow ? hlo::ElementType::bf16 : hlo::ElementType::f32;
  RC_ASSERT(tile_pieces(shape(type, sizes, {2, 1, 0}), extents) == expected);
}

}  // namespace
}  // namespace podsim::validation::measured
