// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/strided_operand.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace podsim::sw::compiler::tiles {
namespace {

using Loop = StridedOperand::Loop;

/// Contiguous pieces of the first block, counted element by element: of layout tiles of `rows` in the last dimension.
std::int64_t counted_pieces(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& block,
                            std::int64_t rows) {
  std::int64_t all = 1, pieces = 0;
  for (std::int64_t extent : extents) all *= extent;
  bool before = false;
  for (std::int64_t i = 0; i < all; ++i) {
    bool within = true;
    std::int64_t rest = i;
    for (std::size_t d = extents.size(); d-- > 0;) {
      const std::int64_t at = rest % extents[d];
      rest /= extents[d];
      // A tile is read whole if one of its rows is.
      within = within && (d + 1 == extents.size() ? at / rows * rows : at) < block[d];
    }
    if (within && !before) ++pieces;
    before = within;
  }
  return pieces;
}

RC_GTEST_PROP(StridedOperand, ABlockHasAsManyPiecesAsRunsOfItsElementsInMemory, ()) {
  const auto up_to = [](int most) { return std::int64_t(*rc::gen::inRange(1, most + 1)); };
  const std::int64_t rows = std::int64_t(1) << *rc::gen::inRange(0, 4);
  StridedOperand operand;
  operand.tile_rows = rows;
  operand.dimensions = {{Loop::batch, up_to(3)},
                        {Loop::contraction, up_to(6)},
                        {Loop::contraction, up_to(4)},
                        {Loop::columns, up_to(40)}};
  std::vector<std::int64_t> extents;
  for (const StridedOperand::Dimension& dimension : operand.dimensions) extents.push_back(dimension.extent);
  const std::int64_t batch = up_to(int(extents[0])), columns = up_to(int(extents[3]));
  const std::int64_t contraction = up_to(int(extents[1]));
  const auto part = [](std::int64_t extent, std::int64_t parts) { return (extent + parts - 1) / parts; };
  const std::vector<std::int64_t> block{part(extents[0], batch), part(extents[1], contraction), extents[2],
                                        part(extents[3], columns)};
  RC_ASSERT(operand.block(batch, columns, contraction).pieces == counted_pieces(extents, block, rows));
}

// Stationary operand of a product of MLPerf Mask R-CNN, bf16[4,512,7,256,336] with 336 in the sublanes: blocks of eight
// columns have a piece for each of 512 x 7 rows of the contraction, and those of two have whole tiles of eight.
TEST(StridedOperand, ColumnsOfAContractionInMajorDimensionsAreInAPieceForEachRow) {
  hlo::Shape image = hlo::make_shape(hlo::ElementType::bf16, {4, 512, 7, 256, 336});
  image.minor_to_major = {3, 4, 2, 1, 0};
  const StridedOperand operand = strided_operand(image, {0}, {1, 2});
  EXPECT_EQ(operand.column_products(), 336);
  EXPECT_EQ(operand.block(4, 42, 1).pieces, 512 * 7);
  EXPECT_EQ(operand.block(4, 42, 8).pieces, 512 / 8 * 7);
  EXPECT_EQ(operand.block(4, 1, 8).pieces, 1) << "whole rows of the image follow one another";
  EXPECT_EQ(operand.block(4, 42, 1).padding, 1);
  EXPECT_EQ(operand.block(4, 168, 1).padding, 4);
}

TEST(StridedOperand, AnOperandWithoutDimensionsIsOnePiece) {
  EXPECT_EQ(StridedOperand{}.block(4, 3, 2).pieces, 1);
  EXPECT_EQ(StridedOperand{}.block(4, 3, 2).padding, 1);
  EXPECT_EQ(StridedOperand{}.column_products(), 1);
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
