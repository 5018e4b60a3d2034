// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/row_indexing.h"

#include <gtest/gtest.h>

#include <vector>

namespace podsim::hlo::rules {
namespace {

GatherDimensions indexing_roles(std::vector<int> offset, std::vector<int> collapsed, std::vector<int> index_map,
                                int index_vector) {
  GatherDimensions dimensions;
  dimensions.offset = std::move(offset);
  dimensions.collapsed = std::move(collapsed);
  dimensions.index_map = std::move(index_map);
  dimensions.index_vector = index_vector;
  return dimensions;
}

Shape numbers(std::vector<std::int64_t> sizes) { return make_shape(ElementType::f32, std::move(sizes)); }

const Shape four_pairs = make_shape(ElementType::s32, {4, 2}), four = make_shape(ElementType::s32, {4});

TEST(RowIndexing, IsAlongTheDimensionThatRowsDrop) {
  const auto found = row_indexing(indexing_roles({0, 2}, {1}, {1}, 1), numbers({5, 9, 3}), four, numbers({5, 4, 3}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->dimension, 1);
  EXPECT_EQ(found->batch_dimension, 1);
}

TEST(RowIndexing, TheNumberOfARowMayBeAnyDimensionOfTheRows) {
  const auto found = row_indexing(indexing_roles({0, 1}, {0}, {0}, 1), numbers({5, 9, 3}), four, numbers({9, 3, 4}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->dimension, 0);
  EXPECT_EQ(found->batch_dimension, 2);
}

TEST(RowIndexing, AllowsIndicesOfWholeDimensions) {
  const GatherDimensions roles = indexing_roles({0, 2}, {1}, {2, 1}, 1);
  EXPECT_TRUE(row_indexing(roles, numbers({5, 9, 3}), four_pairs, numbers({5, 4, 3})));
  EXPECT_FALSE(row_indexing(roles, numbers({5, 9, 3}), four_pairs, numbers({5, 4, 2}))) << "a part of the third";
}

TEST(RowIndexing, IsNoneOfTwoDimensionsOrOfWindows) {
  EXPECT_FALSE(row_indexing(indexing_roles({0}, {1, 2}, {1, 2}, 1), numbers({5, 9, 3}), four_pairs, numbers({5, 4})));
  EXPECT_FALSE(row_indexing(indexing_roles({0, 1, 3}, {}, {1}, 1), numbers({5, 9, 3}), four, numbers({5, 2, 4, 3})));
  EXPECT_FALSE(row_indexing(indexing_roles({0, 2}, {1}, {2}, 1), numbers({5, 1, 3}), four, numbers({5, 4, 3})))
      << "the dropped dimension has no index";
}

TEST(RowIndexing, IsNoneByTwoDimensionsOfIndicesOrWithBatches) {
  EXPECT_FALSE(
      row_indexing(indexing_roles({0, 3}, {1}, {1}, 2), numbers({5, 9, 3}), four_pairs, numbers({5, 4, 2, 3})));
  EXPECT_FALSE(row_indexing({.offset = {1},
                             .collapsed = {1},
                             .index_map = {1},
                             .operand_batching = {0},
                             .indices_batching = {0},
                             .index_vector = 1},
                            numbers({4, 9, 3}), four, numbers({4, 3})));
}

}  // namespace
}  // namespace podsim::hlo::rules
