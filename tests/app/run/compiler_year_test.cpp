// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/commands.h"

namespace podsim {
namespace {

std::int64_t count_all_reduces(const nlohmann::json& run) {
  std::int64_t count = 0;
  for (const nlohmann::json& collective : run["collectives"]) count += collective["count"].get<std::int64_t>();
  return count;
}

// ResNet-50 has 53 convolutions without biases, 53 batch norms of two variables, and a dense layer of two. In the four
// blocks with a projection the last two batch norms are added, so that the gradients of their offsets are one sum.
TEST(CompilerYearFlag, EveryVariableOf2018HasAnAllReduce) {
  const test::Folder folder;
  const nlohmann::json run = test::json_of(folder, test::small_run({"--json", "--compiler", "2018"}));
  EXPECT_EQ(count_all_reduces(run), 53 + 2 * 53 + 2 - 4);
  EXPECT_EQ(run["compiler"], "2018, one elementwise result in a fusion, no combined collectives");
}

TEST(CompilerYearFlag, AnAssignedKeyOverridesTheYear) {
  const test::Folder folder;
  const nlohmann::json run = test::json_of(
      folder, test::small_run({"--json", "--compiler", "2018", "--set", "compiler.combine_all_reduce = 120 MiB"}));
  EXPECT_EQ(count_all_reduces(run), 1);
  EXPECT_EQ(run["compiler"], "2018, one elementwise result in a fusion");
}

TEST(CompilerYearFlag, TheDefaultIsThatOf2020) {
  const test::Folder folder;
  EXPECT_EQ(folder.run({"hlo", "print", "perceptron", "--after", "fuse"}).out,
            folder.run({"hlo", "print", "perceptron", "--after", "fuse", "--compiler", "2020"}).out);
  EXPECT_NE(folder.run({"hlo", "print", "perceptron", "--after", "fuse"}).out,
            folder.run({"hlo", "print", "perceptron", "--after", "fuse", "--compiler", "2018"}).out);
}

TEST(CompilerYearFlag, ATrainingSaysItsCompiler) {
  const test::Folder folder;
  const std::vector<std::string> words = {"train", "resnet50", "--slice", "4x4", "--json"};
  const nlohmann::json later = test::json_of(folder, words);
  EXPECT_FALSE(later.contains("compiler"));
  std::vector<std::string> of_2018 = words;
  of_2018.insert(of_2018.end(), {"--compiler", "2018"});
  const nlohmann::json earlier = test::json_of(folder, of_2018);
  EXPECT_EQ(earlier["compiler"], "2018, one elementwise result in a fusion, no combined collectives");
  EXPECT_GT(earlier["step_time_s"], later["step_time_s"]);
}

TEST(CompilerYearFlag, AnUnknownYearIsRefused) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run(test::small_run({"--compiler", "2019"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--compiler"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("2018, 2020"), std::string::npos) << outcome.err;
}

// The commands are those that the table names.
TEST(CompilerYearFlag, APublishedStepHasTheCompilerOfItsYear) {
  const test::Folder folder;
  folder.write("training_steps.csv",
               "workload,generation,chips,topology,global_batch,partitioning,step_ms,what,source\n"
               "resnet50,v3,4,2x2,16,data parallel,10,train only,MLPERF v0.5 tpu-v3-8\n"
               "resnet50,v3,4,2x2,16,data parallel,10,train only,MLPERF v0.7 tpu-v3-8\n");
  const auto commands = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"validate", "steps", "--data", ".", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const nlohmann::json steps = test::json_of(folder, words)["steps"];
    return std::pair(steps[0]["command"].get<std::string>(), steps[1]["command"].get<std::string>());
  };
  const auto [first, second] = commands({});
  EXPECT_TRUE(first.ends_with(" --compiler 2018")) << first;
  EXPECT_EQ(second.find("--compiler"), std::string::npos) << second;
  const auto [with_2020, same] = commands({"--compiler", "2020"});
  EXPECT_EQ(with_2020.find("--compiler"), std::string::npos) << with_2020;
  EXPECT_EQ(same, second);
  EXPECT_TRUE(commands({"--compiler", "2018"}).second.ends_with(" --compiler 2018"));
}

}  // namespace
}  // namespace podsim
