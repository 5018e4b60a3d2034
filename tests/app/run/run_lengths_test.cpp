// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

// `podsim run --lengths` as a user runs it.
namespace podsim::test {
namespace {

nlohmann::json gnmt_json(const Folder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words{
      "run", "gnmt",  "--slice", "2x2", "--set", "model.units=64", "--set", "model.vocabulary=512", "--batch-per-core",
      "8",   "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

// Three samples of four have 6 tokens and go into arrays of 8, the others have 20: three steps of four are of the one
// kind, within the batch that each bucket has begun.
TEST(RunLengths, AddsUpStepsOfItsShapesAsTheyAreRunAlone) {
  const Folder folder;
  folder.write("counts.csv", "length,count\n6,300\n20,100\n99,400\n");
  const auto json = gnmt_json(folder, {"--lengths", "counts=counts.csv buckets=6:8,20 steps=400"});
  const auto alone = [&](const char* length, const char* longest) -> double {
    return gnmt_json(folder, {"--detail", "replay", "--set", std::string("model.length=") + length, "--set",
                              std::string("model.longest=") + longest})["step_time_s"];
  };
  const double narrow = alone("8", "6"), wide = alone("20", "20");
  EXPECT_LT(narrow, wide);
  ASSERT_EQ(json["shapes"].size(), 2U);
  EXPECT_EQ(json["shapes"][0]["step_time_s"], narrow);
  EXPECT_EQ(json["shapes"][1]["step_time_s"], wide);
  EXPECT_DOUBLE_EQ(json["left_out_share"], 0.5);
  EXPECT_EQ(json["sequences_per_step"], 64);
  const double share = json["shapes"][0]["steps"].get<double>() / 400;
  EXPECT_NEAR(share, 0.75, 4 * std::sqrt(0.75 * 0.25 / (400 * 64)) + 1.0 / 400);
  EXPECT_NEAR(json["step_mean_s"], share * narrow + (1 - share) * wide, 1e-9);
  EXPECT_NEAR(json["step_sd_s"], std::sqrt(share * (1 - share)) * (wide - narrow), 1e-9);
  EXPECT_EQ(json["step_p5_s"], narrow);
  EXPECT_EQ(json["step_p95_s"], wide);
  EXPECT_NEAR(json["padding_share"], 2 * share / (8 * share + 20 * (1 - share)), 1e-9);
}

TEST(RunLengths, RefusesWhatDoesNotFitTheWorkload) {
  const Folder folder;
  const auto refused = [&](std::vector<std::string> words, const std::string& said) {
    words.insert(words.begin(), "run");
    const Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  };
  refused({"resnet50", "--lengths", "mean=20"}, "samples of 'resnet50' have no length");
  refused({"gnmt", "--lengths", "mean=20", "--set", "model.longest=9"}, "model.longest follows from the lengths");
  refused({"gnmt", "--lengths", "mean=20 buckets=30", "--set", "model.length=9"}, "model.length follows from");
  refused({"transformer_mlperf", "--lengths", "mean=20 buckets=30"}, "packed sequences have no buckets");
  refused({"gnmt", "--lengths", "mean=20 most=99"}, "longer than all arrays allow, 34");
  refused({"gnmt", "--lengths", "mean=20", "-o", "results"}, "excludes");
}

}  // namespace
}  // namespace podsim::test
