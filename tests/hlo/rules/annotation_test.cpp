// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/annotation.h"

#include <gtest/gtest.h>

namespace podsim::hlo::rules {
namespace {

TEST(Annotation, OtherCustomCallsAreNone) {
  for (const char* target : {"", "sharding", "Sharding2", "TopK", "Cholesky"}) {
    EXPECT_EQ(find_annotation(target), nullptr) << target;
  }
}

// An instruction that moves a value to another memory takes time; an annotation for the compiler takes none.
TEST(Annotation, ThoseThatMoveAValueAreNotFree) {
  for (const char* target : {"MoveToHost", "MoveToDevice"}) EXPECT_FALSE(find_annotation(target)->is_free) << target;
  for (const char* target : {"Sharding", "LayoutConstraint", "ShapeAssertion"}) {
    EXPECT_TRUE(find_annotation(target)->is_free) << target;
  }
}

// GSPMD, section 3.5: a value is manual between the two, with the shape of a shard.
TEST(Annotation, FullAndShardShapesDifferInTheirSharding) {
  for (const char* target : {"SPMDFullToShardShape", "SPMDShardToFullShape"}) {
    EXPECT_FALSE(find_annotation(target)->same_sharding) << target;
  }
}

}  // namespace
}  // namespace podsim::hlo::rules
