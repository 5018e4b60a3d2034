// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/column_blocks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace podsim::sw::codegen::builder {
namespace {

TEST(ColumnBlocks, UpToEightLaneTilesAreOneBlock) {
  for (std::int64_t columns : {1, 128, 129, 1024}) {
    const ColumnBlocks blocks = column_blocks(columns);
    EXPECT_EQ(blocks.count(), 1) << columns;
    EXPECT_EQ(blocks.block, (columns + 127) / 128) << columns;
    EXPECT_EQ(blocks.first_partial(), columns / 128) << columns;
  }
}

TEST(ColumnBlocks, NineLaneTilesAreCutSoThatOnePlaceStaysEmptyOrNone) {
  EXPECT_EQ(column_blocks(9 * 128).block, 5);   // 5 + 4; 8 + 1 would leave seven lane tiles empty
  EXPECT_EQ(column_blocks(10 * 128).block, 5);  // 5 + 5
  EXPECT_EQ(column_blocks(16 * 128).block, 8);
  EXPECT_EQ(column_blocks(9 * 128).first_partial(), 4);
  EXPECT_EQ(column_blocks(9 * 128 - 1).first_partial(), 3);
}

TEST(ColumnBlocks, BlocksCoverTheColumnsAndThoseBeforeTheFirstPartialOneAreWhole) {
  rc::check([] {
    const std::int64_t columns = *rc::gen::inRange<std::int64_t>(1, 100'000);
    const ColumnBlocks blocks = column_blocks(columns);
    RC_ASSERT(blocks.block >= 1 && blocks.block <= 8);
    RC_ASSERT(blocks.count() * blocks.block * 128 >= columns);
    RC_ASSERT((blocks.count() - 1) * blocks.block * 128 < columns);
    const std::int64_t last = (blocks.count() - 1) * blocks.block;
    RC_ASSERT((last + blocks.first_partial()) * 128 <= columns);
    RC_ASSERT(blocks.first_partial() == blocks.block || (last + blocks.first_partial() + 1) * 128 > columns);
    RC_ASSERT(blocks.block - blocks.first_partial() <= 4);  // masks, of which there are seven
  });
}

}  // namespace
}  // namespace podsim::sw::codegen::builder
