// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/accessed_arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "validation/profile/op_text.h"

namespace podsim::validation::profile {
namespace {

FusionFacts facts_of(const std::string& text, double bytes) {
  const OpText op = *read_op_text("%f = " + text);
  FusionFacts facts{arrays_of(op.result), {}, 0, bytes};
  for (const OpText::Operand& operand : op.operands) facts.operands.push_back(*operand.shape);
  return facts;
}

using Dimensions = std::vector<std::int64_t>;

TEST(AccessedArrays, AreAllIfTheBytesAreTheirSum) {
  const AccessedArrays arrays =
      accessed_arrays(facts_of("f32[64,128]{1,0} fusion(f32[64,128]{1,0} %a, f32[64,128]{1,0} %b)", 3 * 32768.0));
  EXPECT_EQ(arrays.operands.size(), 2);
  EXPECT_EQ(arrays.results[0].dimensions, Dimensions({64, 128}));
  EXPECT_TRUE(std::ranges::all_of(arrays.factors, [](const auto& factor) { return factor.has_value(); }));
}

// A product is written into one row of a loop's buffer, and a row of another buffer is read. XLA counts the other
// arrays once, the row that is read once and the row that is written twice.
TEST(AccessedArrays, ARowOfALoopsBufferIsWrittenInPlace) {
  const double row = 2.0 * 256 * 4096, lhs = 2.0 * 256 * 1024, rhs = 2.0 * 1024 * 4096, bias = 2.0 * 4096;
  const AccessedArrays arrays = accessed_arrays(
      facts_of("(bf16[42,256,4096]{2,1,0}, bf16[256,4096]{1,0}) fusion(bf16[42,256,4096]{2,1,0} %a, s32[] %i, "
               "bf16[4096]{0} %b, bf16[42,256,4096]{2,1,0} %c, bf16[256,1024]{1,0} %x, bf16[1024,4096]{1,0} %w)",
               row + lhs + rhs + bias + 4 + 3 * row));
  EXPECT_EQ(arrays.results[0].dimensions, Dimensions({1, 256, 4096}));
  EXPECT_EQ(arrays.results[1].dimensions, Dimensions({256, 4096}));
  ASSERT_EQ(arrays.operands.size(), 5) << "the buffer that is written is not read";
  const auto sliced = std::ranges::find(arrays.operands, 3, &hlo::Shape::rank);
  ASSERT_NE(sliced, arrays.operands.end());
  EXPECT_EQ(sliced->dimensions, Dimensions({1, 256, 4096}));
}

// The buffer is no larger than the weights, so that the bytes alone would also allow a slice of the weights.
TEST(AccessedArrays, AnIndexTellsASmallBufferFromASlice) {
  const double row = 2.0 * 256 * 1024, weights = 2.0 * 1024 * 1024;
  const AccessedArrays arrays =
      accessed_arrays(facts_of("bf16[4,256,1024]{2,1,0} fusion(bf16[4,256,1024]{2,1,0} %a, s32[] %i, "
                               "bf16[1024,1024]{1,0} %w, bf16[256,1024]{1,0} %x)",
                               weights + row + 4 + 2 * row));
  EXPECT_EQ(arrays.results[0].dimensions, Dimensions({1, 256, 1024}));
  EXPECT_EQ(arrays.operands.size(), 3);
}

TEST(AccessedArrays, RowsOfSeveralBuffersAreFactors) {
  const double x = 2.0 * 256 * 1024, y = 2.0 * 256 * 512, result = 2.0 * 1024 * 512;
  const AccessedArrays arrays = accessed_arrays(facts_of(
      "bf16[1024,512]{1,0} fusion(bf16[30,256,1024]{2,1,0} %a, s32[] %i, bf16[30,256,512]{2,1,0} %b)", x + y + result));
  ASSERT_TRUE(arrays.factors[0] && arrays.factors[2]);
  EXPECT_EQ(arrays.factors[0]->dimensions, Dimensions({1, 256, 1024}));
  EXPECT_EQ(arrays.factors[2]->dimensions, Dimensions({1, 256, 512}));
}

TEST(AccessedArrays, OtherPartsAreSlicesOfUnknownShape) {
  // 100 of 1792 columns.
  const AccessedArrays arrays =
      accessed_arrays(facts_of("f32[128,128]{1,0} fusion(f32[128,1792]{1,0} %a)", 4.0 * 128 * (100 + 128)));
  EXPECT_FALSE(arrays.factors[0].has_value());
  EXPECT_LE(hlo::padded_bytes(arrays.operands[0]).value(), 4 * 128 * 128);
}

TEST(AccessedArrays, EmptyArraysAndAbsurdCountsAreHarmless) {
  for (double bytes : {0.0, 1.0, 1e15}) {
    EXPECT_EQ(accessed_arrays(facts_of("(f32[0,4]{1,0}, f32[8]{0}) fusion(f32[0,4]{1,0} %a, f32[8]{0} %b)", bytes))
                  .results.size(),
              2);
  }
}

}  // namespace
}  // namespace podsim::validation::profile
