// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/block_sizes.h"

#include <gtest/gtest.h>

namespace podsim::sw::codegen::families {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST(BlockSizes, CutIntoOneTwoThreeFourSixAndEight) {
  EXPECT_EQ(block_sizes(8), (Sizes{8, 4, 3, 2, 1}));
  EXPECT_EQ(block_sizes(24), (Sizes{24, 12, 8, 6, 4, 3, 2, 1}));
  EXPECT_EQ(block_sizes(1), Sizes{1});
  EXPECT_EQ(block_sizes(0), Sizes{1});
}

TEST(BlockSizes, GoDownFromTheWholeToOne) {
  for (std::int64_t total = 1; total < 300; ++total) {
    const Sizes sizes = block_sizes(total);
    EXPECT_EQ(sizes.front(), total);
    EXPECT_LE(sizes.back(), 2);
    for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_LT(sizes[i], sizes[i - 1]) << total;
  }
}

TEST(Divisors, AreAllThatDivide) {
  EXPECT_EQ(divisors(28), (Sizes{1, 2, 4, 7, 14, 28}));
  EXPECT_EQ(divisors(13), (Sizes{1, 13}));
  EXPECT_EQ(largest_divisor(28, 13), 7);
  EXPECT_EQ(largest_divisor(28, 100), 28);
  EXPECT_EQ(largest_divisor(13, 12), 1);
}

}  // namespace
}  // namespace podsim::sw::codegen::families
