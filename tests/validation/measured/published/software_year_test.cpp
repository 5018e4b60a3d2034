// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/software_year.h"

#include <gtest/gtest.h>

namespace podsim::validation::measured::published {
namespace {

// MLPerf's rounds: 0.5 in December 2018, 0.6 in July 2019, 0.7 in July 2020.
TEST(SoftwareYear, FollowsFromTheNameOfASource) {
  EXPECT_EQ(software_year("MLPERF v0.5 tpu-v3-8"), 2018);
  EXPECT_EQ(software_year("MLPERF v0.6 tpu-v3-32 (TF2 v0.7: 127.68)"), 2019);
  EXPECT_EQ(software_year("MLPERF v0.7 tpu-v3-32"), 2020);
  EXPECT_EQ(software_year("EfficientNetV2 arXiv 2104.00298 Table 3"), 2021);
  EXPECT_EQ(software_year("google/maxtext issue #8 (2023-04-28) with base.yml of 3d23667"), 2023);
  EXPECT_EQ(software_year("a blog"), 0);
}

TEST(SoftwareYear, ACompilerReplacesTheOneBefore) {
  PublishedStep step;
  step.command = {"run", "resnet50"};
  choose_compiler(step, sw::driver::compiler_in(2018));
  choose_compiler(step, sw::driver::compiler_in(2018));
  EXPECT_EQ(step.command, (std::vector<std::string>{"run", "resnet50", "--compiler", "2018"}));
  choose_compiler(step, sw::driver::compiler_in(2020));
  EXPECT_EQ(step.command, (std::vector<std::string>{"run", "resnet50"}));
  PublishedStep none;
  choose_compiler(none, sw::driver::compiler_in(2018));
  EXPECT_TRUE(none.command.empty());
}

}  // namespace
}  // namespace podsim::validation::measured::published
