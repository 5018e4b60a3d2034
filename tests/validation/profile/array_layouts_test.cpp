// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/array_layouts.h"

#include <gtest/gtest.h>

namespace podsim::validation::profile {
namespace {

ProfileOp op(std::string text, double time) {
  ProfileOp result;
  result.hlo_text = std::move(text);
  result.total_self_time_s = time;
  return result;
}

// Both arrays of the first op have 4 kB, so that each has half of its time. The second one is transposed in the run.
TEST(ArrayLayouts, AgreeByTheTimeOfOpsInProportionToBytes) {
  const Profile measured{.file = "measured",
                         .ops = {op("%a = f32[8,128]{1,0:T(8,128)} negate(f32[128,8]{0,1:T(8,128)} %p)", 2),
                                 op("%b = f32[8,128]{1,0:T(8,128)} tanh(f32[8,128]{1,0:T(8,128)} %q)", 2)}};
  const Profile run{.file = "run", .ops = {op("%c = f32[8,128] negate(f32[128,8] %p)", 1)}};
  const LayoutComparison compared = compare_layouts(measured, run);
  EXPECT_DOUBLE_EQ(compared.compared, 1);
  EXPECT_DOUBLE_EQ(compared.agreement, 0.75);
  ASSERT_EQ(compared.rows.size(), 2U);
  EXPECT_EQ(compared.rows[0].array, "f32[128,8]");
  EXPECT_EQ(compared.rows[0].first, "{0,1}");
  EXPECT_EQ(compared.rows[0].second, "{1,0}");
  EXPECT_DOUBLE_EQ(compared.rows[0].agreement, 0);
  EXPECT_DOUBLE_EQ(compared.rows[0].share, 0.25);
}

// Three quarters of the time are row-major in one profile, half in the other.
TEST(ArrayLayouts, OfSeveralLayoutsCountToTheSmallerShare) {
  const Profile measured{.file = "measured",
                         .ops = {op("%a = f32[8,8]{1,0} iota()", 3), op("%b = f32[8,8]{0,1} iota()", 1)}};
  const Profile run{.file = "run", .ops = {op("%a = f32[8,8]{1,0} iota()", 5), op("%b = f32[8,8]{0,1} iota()", 5)}};
  EXPECT_DOUBLE_EQ(compare_layouts(measured, run).agreement, 0.75);
}

// Dimensions of size one may be anywhere in the order in memory; vectors have one layout.
TEST(ArrayLayouts, LeaveOutSinglesVectorsAndTexts) {
  const Profile measured{.file = "measured",
                         .ops = {op("%a = bf16[4,8,1]{1,0,2} iota()", 1), op("%b = f32[8]{0} iota()", 1), op("", 1)}};
  const Profile run{.file = "run", .ops = {op("%a = bf16[1,4,8]{2,1,0} iota()", 1)}};
  const LayoutComparison compared = compare_layouts(measured, run);
  ASSERT_EQ(compared.rows.size(), 1U);
  EXPECT_EQ(compared.rows[0].array, "bf16[4,8]");
  EXPECT_DOUBLE_EQ(compared.agreement, 1);
}

TEST(ArrayLayouts, NameWhatTheOtherProfileDoesNotHave) {
  const Profile measured{.file = "measured",
                         .ops = {op("%a = s32[4,8]{1,0} iota()", 1), op("%b = f32[4,8]{1,0} iota()", 3)}};
  const Profile run{.file = "run", .ops = {op("%a = s32[4,8]{1,0} iota()", 1)}};
  const LayoutComparison compared = compare_layouts(measured, run);
  EXPECT_DOUBLE_EQ(compared.compared, 0.25);
  EXPECT_DOUBLE_EQ(compared.agreement, 1);
  EXPECT_EQ(compared.rows.back().array, "f32[4,8]");
  EXPECT_EQ(compared.rows.back().second, "");
}

}  // namespace
}  // namespace podsim::validation::profile
