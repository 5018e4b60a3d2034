// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_loop.h"

#include <gtest/gtest.h>

#include "tests/app/commands.h"

namespace podsim::app::run {
namespace {

using Json = nlohmann::json;

TEST(RunInput, AStepTakesAsLongAsTheSlowestStageOfItsHost) {
  const test::Folder folder;
  const Json run = test::json_of(folder, test::small_run({"--json", "--input", "on", "--set", "input.threads=1"}));
  // 2 images on each of 8 cores, one host, one thread: 16 times the work of an image.
  const double image = 0.54 * 469 * 387 * 37e-9 + 224 * 224 * 3 * 15.7e-9;
  EXPECT_NEAR(double(run["step_time_s"]), 16 * image, 1e-5);
  EXPECT_NEAR(double(run["input"]["slowest_s"]), 16 * image, 1e-9);
  EXPECT_EQ(run["input"]["slowest_stage"], "decode");
}

TEST(RunInput, HostsThatKeepUpLeaveTheStepAsItIs) {
  const test::Folder folder;
  const Json usual = test::json_of(folder, test::small_run({"--json"}));
  const Json fed = test::json_of(folder, test::small_run({"--json", "--input", "on"}));
  ASSERT_LT(double(fed["input"]["slowest_s"]), double(usual["step_time_s"]));
  EXPECT_NEAR(double(fed["step_time_ps"]), double(usual["step_time_ps"]), 2);
  EXPECT_FALSE(usual.contains("input"));
}

TEST(RunInput, AnyProgramWaitsForItsHosts) {
  const test::Folder folder;
  folder.write("step.hlo", R"(HloModule step, input_output_alias={ {0}: (0, {}, must-alias) }

ENTRY main {
  w = f32[1024]{0} parameter(0)
  batch = bf16[100000000]{0} parameter(1)
  row = bf16[1024]{0} slice(batch), slice={[0:1024]}
  wide = f32[1024]{0} convert(row)
  sum = f32[1024]{0} add(w, wide)
  ROOT result = (f32[1024]{0}) tuple(sum)
}
)");
  // 0.2 GB for each of two cores, read at 5 GB/s.
  const Json file = test::json_of(folder, {"run", "step.hlo", "--slice", "1x1", "--json", "--input", "on"});
  EXPECT_NEAR(double(file["step_time_s"]), 0.4 / 5, 1e-6);
  EXPECT_NE(file["warnings"][0].get<std::string>().find("one record"), std::string::npos);
  // 8 sequences parsed in 50 ms each.
  const Json bert = test::json_of(folder, {"run", "bert_large", "--slice", "2x2", "--batch-per-core", "1", "--set",
                                           "model.layers=1", "--json", "--input", "on", "--set", "input.record=50 ms"});
  EXPECT_NEAR(double(bert["step_time_s"]), 8 * 0.05, 1e-6);
}

TEST(RunLoop, LeavesTheStepAsItIsToThePicosecond) {
  const test::Folder folder;
  const Json usual = test::json_of(folder, test::small_run({"--json"}));
  const Json loop = test::json_of(folder, test::small_run({"--json", "--loop", "steps=10 eval=2"}));
  EXPECT_EQ(loop["step_times_s"], usual["step_times_s"]);
  EXPECT_EQ(loop["breakdown_s"], usual["breakdown_s"]);
}

TEST(RunLoop, AnEvaluationStepIsTheForwardPartOfAStep) {
  const test::Folder folder;
  const Json loop = test::json_of(
      folder, {"run", "resnet50", "--slice", "2x2", "--json", "--input", "off", "--loop", "steps=10 eval=3"});
  // The forward pass of ResNet-50 takes about a third of a step: a third of the products, more than that of the memory.
  const double forward = loop["train_loop"]["device_evaluation_step_s"], step = loop["step_time_s"];
  EXPECT_GT(forward, 0.25 * step);
  EXPECT_LT(forward, 0.40 * step);
  // Three of them, an all-reduce of two numbers, ten steps and two launches of 10 ms.
  EXPECT_NEAR(double(loop["train_loop"]["time_s"]), 10 * step + 3 * forward + 2 * 0.010, 1e-3);
}

/// The workload's sharding names values of the backward part, which an evaluation does not have. Where two cores
/// share an image, each has as many products as with an image of half the batch, and exchanges rows besides.
TEST(RunLoop, EvaluatesAStepWhoseImagesAreCut) {
  const test::Folder folder;
  const auto loop = [&](const char* spatial) {
    return test::json_of(folder, {"run", "ssd", "--slice", "2x1", "--set", "model.batch=8", "--set", spatial, "--json",
                                  "--input", "off", "--loop", "steps=10 eval=3"});
  };
  const Json cut = loop("model.spatial=2"), whole = loop("model.spatial=1");
  const double forward = cut["train_loop"]["device_evaluation_step_s"];
  EXPECT_GT(forward, 0.2 * double(cut["step_time_s"]));
  EXPECT_LT(forward, 0.6 * double(cut["step_time_s"]));
  EXPECT_GT(forward, double(whole["train_loop"]["device_evaluation_step_s"])) << "as many products, and exchanges";
}

/// Cadences that MLPerf's logs show, in seconds for a loop; two of them were used to measure [input] of the machine.
/// `podsim validate jobs` has the others.
TEST(RunLoop, IsCloseToPublishedCadences) {
  const test::Folder folder;
  struct Published {
    std::vector<std::string> words;
    double seconds;
  };
  for (const auto& [words, seconds] : std::vector<Published>{
           {{"run", "resnet50", "--slice", "4x4", "--loop", "steps=1252 eval=13"}, 164.12},
           {{"run", "resnet50", "--slice", "8x8", "--loop", "steps=313 eval=4"}, 313 * 0.1309},
           {{"run", "ssd", "--slice", "4x4", "--batch-per-core", "32", "--loop", "steps=625 eval=5"}, 68.16}}) {
    std::vector<std::string> json = words;
    json.emplace_back("--json");
    const Json loop = test::json_of(folder, json);
    EXPECT_NEAR(double(loop["train_loop"]["time_s"]) / seconds, 1, 0.06) << words[1] << " " << words[3];
  }
}

TEST(RunLoop, RefusesAnEvaluationThatNothingDescribes) {
  const test::Folder folder;
  folder.write("sum.hlo",
               "HloModule sum\n\nENTRY main {\n  a = f32[8]{0} parameter(0)\n  ROOT b = f32[8]{0} add(a, a)\n}\n");
  const test::Outcome outcome = folder.run({"run", "sum.hlo", "--slice", "1x1", "--loop", "steps=2 eval=1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("input_output_alias"), std::string::npos) << outcome.err;
  EXPECT_EQ(folder.run({"run", "sum.hlo", "--slice", "1x1", "--loop", "steps=2"}).code, 0);
}

}  // namespace
}  // namespace podsim::app::run
