// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/commands.h"

namespace podsim::app {
namespace {

/// A perceptron of `layers` equal layers on four cores.
std::vector<std::string> equal_layers(int layers, const std::vector<std::string>& more) {
  std::vector<std::string> words{"run",
                                 "perceptron",
                                 "--slice",
                                 "2x1",
                                 "--json",
                                 "--set",
                                 "model.nodes=2048",
                                 "--set",
                                 "model.inputs=2048",
                                 "--set",
                                 "model.outputs=2048",
                                 "--set",
                                 "model.layers=" + std::to_string(layers - 1)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json pipeline(const std::string& schedule, int micro_batches, int batch_per_core) {
  const test::Folder folder;
  return test::json_of(
      folder, equal_layers(8, {"--stages", "4", "--micro-batches", std::to_string(micro_batches), "--batch-per-core",
                               std::to_string(batch_per_core), "--schedule", schedule}));
}

// Stages of four cores do what four cores do that share the batch: 6 FLOPs for each weight and sample.
TEST(RunPipeline, DoesTheWorkOfTheStep) {
  const test::Folder folder;
  const double whole =
      double(test::json_of(folder, equal_layers(8, {"--batch-per-core", "512"}))["flops_per_core_step"]);
  EXPECT_NEAR(double(pipeline("1f1b", 4, 512)["flops_per_core_step"]), whole, 0.03 * whole);
}

// With micro-batches of 512 samples, the most activations are those of all of them in GPipe and those of four in 1F1B.
TEST(RunPipeline, KeepsActivationsAsTheScheduleDoes) {
  const auto peak = [](const nlohmann::json& run) {
    return double(run["memory"]["peak_bytes_per_core"]) - double(run["memory"]["input_bytes_per_core"]);
  };
  const double activations = 2 * 512 * 2048 * 2;  // of a stage's two layers, in bf16
  const double few = peak(pipeline("1f1b", 8, 1024)), many = peak(pipeline("1f1b", 16, 2048));
  EXPECT_NEAR(many, few, 0.1 * activations);
  EXPECT_GT(peak(pipeline("gpipe", 16, 2048)) - peak(pipeline("gpipe", 8, 1024)), 7 * activations);
}

// With one micro-batch no two stages compute forward, or gradients, at a time: four stages of two layers take 4 F and
// nearly 8 F. What is computed again takes F more in the last stage alone, which waits for no gradient.
TEST(RunPipeline, ComputesAgainWhileItWaitsForGradients) {
  const auto step = [](const char* policy) {
    const test::Folder folder;
    return double(
        test::json_of(folder, equal_layers(8, {"--stages", "4", "--micro-batches", "1", "--batch-per-core", "2048",
                                               "--schedule", "gpipe", "--rematerialise", policy}))["step_time_s"]);
  };
  const double kept = step("none"), again = step("layer");
  EXPECT_GT(again, 1.04 * kept);
  EXPECT_LT(again, 1.15 * kept);
}

TEST(RunPipeline, TakesTheScheduleOfAFile) {
  const test::Folder folder;
  folder.write("one.toml", "stages = [\"F0 F1 B0 B1\", \"F0 B0 F1 B1\"]");
  folder.write("wrong.toml", "stages = [\n  \"F0 F1 B0 B1\",\n  \"F0 B0 F1 B2\",\n]");
  const auto words = [](const std::string& file) {
    return std::vector<std::string>{"run", "perceptron", "--slice", "1x1", "--schedule", file};
  };
  EXPECT_EQ(folder.run(words("one.toml")).code, 0);
  const test::Outcome wrong = folder.run(words("wrong.toml"));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("wrong.toml:2:"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace podsim::app
