// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/op_text.h"

#include <gtest/gtest.h>

namespace podsim::validation::profile {
namespace {

const std::string fusion_text =
    "%fusion.5 = (f32[64]{0:T(256)}, bf16[128,56,56,64]{0,3,2,1:T(8,128)(2,1)}) "
    "fusion(f32[3,3,64,64]{3,2,1,0:T(8,128)} "
    "%p.1, /*index=1*/bf16[128,56,56,64]{0,3,2,1:T(8,128)(2,1)} %p.2), kind=kOutput, calls=%fused_computation.5";

TEST(OpText, HasShapesOperandsAndAttributes) {
  const auto op = read_op_text(fusion_text);
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->name, "fusion.5");
  EXPECT_EQ(op->opcode, hlo::Opcode::fusion);
  ASSERT_EQ(op->operands.size(), 2U);
  EXPECT_EQ(op->operands[1].name, "p.2");
  EXPECT_EQ(op->operands[1].shape->minor_to_major, (std::vector<int>{0, 3, 2, 1}));
  EXPECT_EQ(op->operands[0].shape->tile, (std::vector<std::int64_t>{8, 128}));
  EXPECT_EQ(op->attributes.at("kind"), "kOutput");
  EXPECT_EQ(arrays_of(op->result).size(), 2U);
  EXPECT_FALSE(op->cut_off);
}

TEST(OpText, OperandsMayHaveNoShapes) {
  const auto op = read_op_text("%copy.1 = f32[8]{0} copy(%x.2)");
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->operands.at(0).name, "x.2");
  EXPECT_FALSE(op->operands[0].shape.has_value());
}

TEST(OpText, WhatIsNoOpIsNothing) {
  for (const char* text : {"", "unknown", "IDLE", "%a = ", "%a = f32[8]", "%a = f32[8]{0} copy"}) {
    EXPECT_FALSE(read_op_text(text).has_value()) << text;
  }
}

// A truncated text is read up to its end.
TEST(OpText, AnyBeginningOfAnOpIsReadAsFarAsItGoes) {
  for (std::size_t length = 0; length < fusion_text.size(); ++length) {
    const auto op = read_op_text(fusion_text.substr(0, length));
    if (!op) {
      EXPECT_LE(length, fusion_text.find("fusion(") + 6) << length;
      continue;
    }
    EXPECT_EQ(op->opcode, hlo::Opcode::fusion);
    EXPECT_LE(op->operands.size(), 2U);
    EXPECT_TRUE(op->cut_off || length >= fusion_text.find("), kind")) << length;
  }
}

}  // namespace
}  // namespace podsim::validation::profile
