// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/app/commands.h"

namespace podsim::app {
namespace {

double flops_of(const std::vector<std::string>& command) {
  const test::Folder folder;
  return double(test::json_of(folder, command)["flops_per_core_step"]);
}

// Dense layers take 2 FLOPs for each weight and row; nothing else of this network is large. The gradients of weights
// and of inputs take as many each, but there is no gradient of the images.
TEST(RunInference, IsTheForwardPartOfTheStep) {
  const std::vector<std::string> network{"run", "mixer", "--slice",        "1x1",   "--batch-per-core",
                                         "8",   "--set", "model.layers=2", "--json"};
  std::vector<std::string> inference = network;
  inference.emplace_back("--inference");
  const double patches = 14 * 14, model = 768;
  const double embed = patches * 16 * 16 * 3 * model, layer = 2 * patches * 384 * model + 2 * patches * model * 3072;
  const double forward = 2 * 8 * (embed + 2 * layer + model * 1000);
  EXPECT_NEAR(flops_of(inference), forward, 0.03 * forward);
  EXPECT_NEAR(flops_of(network), 3 * forward - 2 * 8 * embed, 0.05 * 3 * forward);
}

// 4.1e9 multiplications and additions of an image (He et al. 2015, with the stride of v1.5), 3.4 % of them with
// padding, which XLA does not count.
TEST(RunInference, OfResnetHasTheFlopsOfThePublishedNetwork) {
  const double flops =
      flops_of({"run", "resnet50", "--slice", "1x1", "--batch-per-core", "8", "--inference", "--json"});
  EXPECT_NEAR(flops / 16, 0.966 * 4.1e9, 0.01 * 4.1e9);
}

// 336,226,108 parameters of f32 (as the published checkpoint), 4 bytes each; tiles pad vectors and the table of two
// segments by less than 0.1 %. LAMB has two slots for each.
TEST(RunInference, OfBertLargeHoldsItsWeightsAlone) {
  test::Folder folder;
  const std::vector<std::string> command{"run", "bert_large", "--slice", "1x1", "--batch-per-core", "1", "--json"};
  std::vector<std::string> inference = command;
  inference.emplace_back("--inference");
  const double weights = 4 * 336'226'108.0;
  const auto whole = test::json_of(folder, command)["memory"], forward = test::json_of(folder, inference)["memory"];
  EXPECT_NEAR(double(forward["parameter_bytes_per_core"]), weights, 1e-3 * weights);
  EXPECT_NEAR(double(whole["parameter_bytes_per_core"]), weights, 1e-3 * weights);
  EXPECT_EQ(double(forward["slot_bytes_per_core"]), 0);
  EXPECT_NEAR(double(whole["slot_bytes_per_core"]), 2 * weights, 2e-3 * weights);
  EXPECT_LT(double(forward["peak_bytes_per_core"]), 1.2 * weights);
}

/// The content of a file that the run wrote.
std::string written(const test::Folder& folder, const std::string& file) { return folder.read("run/" + file); }

// Every value belongs to the forward pass, and cores that share only the batch send each other nothing.
class RunInferenceOf : public testing::TestWithParam<std::string> {};

TEST_P(RunInferenceOf, HasNeitherGradientsNorLossNorUpdates) {
  test::Folder folder;
  std::vector<std::string> command{"run", "--inference", "-o", "run"};
  std::istringstream words(GetParam());
  for (std::string word; words >> word;) command.push_back(word);
  const test::Outcome outcome = folder.run(command);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string ops = written(folder, "ops.csv");
  for (const char* word : {"gradients/", "optimizer/", "loss", "all_reduce/", "/momentum", "moment", "label"}) {
    EXPECT_EQ(ops.find(word), std::string::npos) << word << " in " << ops.substr(ops.find(word), 100);
  }
  // Cores that share an image add up parts of products.
  if (GetParam().find("spatial") == std::string::npos) {
    EXPECT_EQ(ops.find("all-reduce"), std::string::npos);
  }
  EXPECT_EQ(written(folder, "memory.csv").find("optimizer/"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Workloads, RunInferenceOf,
                         testing::Values("resnet50 --batch-per-core 2", "resnet50_global --batch-per-core 2",
                                         "bert_large --batch-per-core 1", "transformer --batch-per-core 1",
                                         "gnmt --batch-per-core 8", "dlrm", "ncf", "ssd", "vit", "mixer",
                                         "bit_resnet50 --batch-per-core 2", "mbconv --batch-per-core 2", "perceptron",
                                         "pipelined_mlp", "pipelined_mlp --set model.form=vectorised",
                                         "mask_rcnn --batch-per-core 1", "ssd --set model.spatial=4 --batch-per-core 2",
                                         PODSIM_SOURCE_DIR "/examples/nets/mixture.toml",
                                         PODSIM_SOURCE_DIR "/examples/nets/resnet50.toml --batch-per-core 2"),
                         [](const auto& one) { return "Workload" + std::to_string(one.index); });

// A decoder of 6.05e9 parameters, 24.2 GB in f32: over 32 cores with 8 parts of each weight it has 3.03 GB a core. The
// optimiser's two slots alone would be twice as much again.
TEST(RunInference, OfALargeDecoderNeedsNoPlaceForSlots) {
  test::Folder folder;
  const auto memory = test::json_of(folder, {"run", "gpt_6b", "--inference", "--json"})["memory"];
  const double weights = 4 * 6'050'258'944.0 / 8;
  EXPECT_NEAR(double(memory["parameter_bytes_per_core"]), weights, 0.01 * weights);
  EXPECT_EQ(double(memory["slot_bytes_per_core"]), 0);
}

}  // namespace
}  // namespace podsim::app
