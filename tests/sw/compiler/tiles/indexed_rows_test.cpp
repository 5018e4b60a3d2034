// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/indexed_rows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace podsim::sw::compiler::tiles {
namespace {

constexpr base::Bytes burst{32};  // of HBM2

hlo::Shape row_major(hlo::ElementType type, std::vector<std::int64_t> dimensions) {
  return hlo::make_shape(type, std::move(dimensions));
}

TEST(IndexedRows, ARowOfAnEmbeddingTableIsAPieceForEvery128Columns) {
  const IndexedRows narrow = indexed_rows(row_major(hlo::ElementType::f32, {19656, 128}), {1, 128}, 1664, burst);
  EXPECT_EQ(narrow.slices, 1664);
  EXPECT_EQ(narrow.pieces, 1664);
  EXPECT_EQ(narrow.piece, base::Bytes(512));
  const IndexedRows wide = indexed_rows(row_major(hlo::ElementType::bf16, {30522, 1024}), {1, 1024}, 10, burst);
  EXPECT_EQ(wide.pieces, 80);
  // The row that shares its words is moved as well.
  EXPECT_EQ(wide.piece, base::Bytes(512));
}

TEST(IndexedRows, AWholeArrayIsOnePiece) {
  const hlo::Shape array = row_major(hlo::ElementType::f32, {3, 20, 200});
  const IndexedRows rows = indexed_rows(array, {3, 20, 200}, 1, burst);
  EXPECT_EQ(rows.pieces, 1);
  EXPECT_EQ(rows.piece, hlo::padded_bytes(array));
}

/// Address of an element of a row-major array of rank 3 under T(8,128), or T(8,128)(2,1) for two-byte elements.
std::int64_t address(const hlo::Shape& shape, std::int64_t plane, std::int64_t row, std::int64_t column) {
  const std::int64_t width = hlo::byte_width(shape.element_type), packed = 4 / width;
  const std::int64_t columns = (shape.dimensions[2] + 127) / 128, rows = (shape.dimensions[1] + 7) / 8;
  const std::int64_t tile = (plane * rows + row / 8) * columns + column / 128;
  const std::int64_t word = (row % 8) / packed * 128 + column % 128;
  return tile * 1024 * width + word * 4 + row % packed * width;
}

// Compares with the runs of sublanes that the elements of a slice touch.
RC_GTEST_PROP(IndexedRows, PiecesAreTheRunsOfSublanesThatASliceTouches, ()) {
  const hlo::ElementType type = *rc::gen::element(hlo::ElementType::f32, hlo::ElementType::bf16);
  const auto between = [](std::int64_t low, std::int64_t high) {
    return *rc::gen::resize(100, rc::gen::inRange(low, high + 1));
  };
  const hlo::Shape array = row_major(type, {between(2, 4), 8 * between(1, 4), 128 * between(1, 3)});
  const bool full_rows = *rc::gen::arbitrary<bool>();
  const std::int64_t height = *rc::gen::element<std::int64_t>(1, 8, array.dimensions[1]);
  const std::int64_t width = full_rows ? array.dimensions[2] : 128;
  const std::int64_t row = height == 1 ? between(0, array.dimensions[1] - 1) : 0;
  std::set<std::int64_t> sublanes;
  for (std::int64_t r = row; r < row + height; ++r) {
    for (std::int64_t c = 0; c < width; ++c) sublanes.insert(address(array, 1, r, c) / 512);
  }
  std::int64_t runs = 0, before = -2;
  for (std::int64_t sublane : sublanes) {
    runs += sublane != before + 1;
    before = sublane;
  }
  const IndexedRows found = indexed_rows(array, {1, height, width}, 1, burst);
  RC_ASSERT(found.bytes() == base::Bytes(std::int64_t(sublanes.size()) * 512));
  // Pieces of adjacent rows in the first tile of two planes or tiles count separately.
  RC_ASSERT(found.pieces >= runs);
  if (height == 1 || height == array.dimensions[1]) RC_ASSERT(found.pieces == (full_rows && height > 1 ? 1 : runs));
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
