// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/profile.h"

#include <gtest/gtest.h>

namespace podsim::validation::profile {
namespace {

std::vector<base::Diagnostic> errors_of(const std::string& text) {
  try {
    read_profile("p.csv", text);
  } catch (const base::InputError& error) {
    return error.diagnostics();
  }
  return {};
}

TEST(Profile, ColumnsAreFoundByNameInAnyOrder) {
  const Profile profile = read_profile("p.csv",
                                       "HLO op,#Occurrences,Measured Memory BW (GiB/s),Avg. self time (us),Category,"
                                       "Measured GFLOP/s,Rank\n"
                                       "\"%a = f32[8]{0} fusion(f32[8]{0} %b)\",3,2,10,loop fusion,5,1\n");
  ASSERT_EQ(profile.ops.size(), 1U);
  const ProfileOp& op = profile.ops.front();
  EXPECT_EQ(op.category, "loop fusion");
  EXPECT_EQ(op.hlo_text, "%a = f32[8]{0} fusion(f32[8]{0} %b)");
  EXPECT_EQ(op.occurrences, 3);
  EXPECT_DOUBLE_EQ(op.self_time_s, 10e-6);
  EXPECT_NEAR(op.flops.value(), 5e9 * 10e-6, 1e-6) << "a rate over the self time";
  EXPECT_NEAR(op.bytes.value(), 2.0 * 1024 * 1024 * 1024 * 10e-6, 1e-6);
}

TEST(Profile, WithoutRatesThereAreNoCountsAndWithoutAnAverageTheTotalIsDivided) {
  const Profile profile = read_profile("p.csv",
                                       "Category,HLO op,#Occurrences,Total self time (us)\n"
                                       "copy,x,4,10\n");
  EXPECT_DOUBLE_EQ(profile.ops.at(0).self_time_s, 2.5e-6);
  EXPECT_FALSE(profile.ops.at(0).flops.has_value());
  EXPECT_FALSE(profile.ops.at(0).bytes.has_value());
}

TEST(Profile, TheTotalIsThatOfItsColumnOrAllOccurrences) {
  const Profile profile =
      read_profile("p.csv",
                   "Category,HLO op,#Occurrences,Avg. self time (us),Total self time (us),Bound by\n"
                   "copy,x,3,0.333333,1,HBM\n");
  EXPECT_DOUBLE_EQ(profile.ops.at(0).total_self_time_s, 1e-6);
  EXPECT_EQ(profile.ops.at(0).bound_by, "HBM");
  const Profile averages = read_profile("p.csv", "Category,HLO op,#Occurrences,Avg. self time (us)\ncopy,x,3,2\n");
  EXPECT_DOUBLE_EQ(averages.ops.at(0).total_self_time_s, 6e-6);
  EXPECT_EQ(averages.ops.at(0).bound_by, "");
}

TEST(Profile, AMissingColumnIsNamed) {
  const auto errors = errors_of("Category,#Occurrences,Avg. self time (us)\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].message.find("'HLO op'"), std::string::npos);
  EXPECT_EQ(errors[0].location.line, 1);
}

TEST(Profile, EveryBadRowIsAnErrorAtItsPlace) {
  const auto errors = errors_of(
      "Category,HLO op,#Occurrences,Avg. self time (us)\n"
      "copy,\"x, y\",1,2\n"
      "copy,x,many,2\n"
      "copy,x,1,-2\n"
      "copy,x,1\n"
      "copy,x,1.5,2\n");
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].location.line, 3);
  EXPECT_EQ(errors[0].location.column, 8);
  EXPECT_EQ(errors[0].location.length, 4);
  EXPECT_EQ(errors[1].location.line, 4);
  EXPECT_EQ(errors[1].location.column, 10);
  EXPECT_EQ(errors[2].location.line, 5);
  EXPECT_NE(errors[2].message.find("3 fields"), std::string::npos);
  EXPECT_EQ(errors[3].location.column, 8);
}

TEST(Profile, AnEmptyFileIsAnError) { EXPECT_EQ(errors_of("").size(), 1U); }

}  // namespace
}  // namespace podsim::validation::profile
