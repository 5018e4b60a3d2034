// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
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

// Two bytes of bf16 for each parameter, and one of int8 for all but vectors and the scales of output channels.
TEST(RunInference, WithTypedWeightsHoldsThemInTheirType) {
  test::Folder folder;
  const double count = 336'226'108.0;
  for (const auto& [type, bytes] : {std::pair("bf16", 2.0), std::pair("int8", 1.0), std::pair("int4", 0.5)}) {
    const auto json = test::json_of(folder, {"run", "bert_large", "--slice", "1x1", "--batch-per-core", "1",
                                             "--inference", "--weights", type, "--json"});
    EXPECT_NEAR(double(json["memory"]["parameter_bytes_per_core"]), bytes * count, 0.02 * count) << type;
    EXPECT_LT(double(json["memory"]["peak_bytes_per_core"]), (bytes + 0.2) * count) << type;
    // Every weight is read once, and activations of 512 tokens are read and written.
    EXPECT_GT(double(json["hbm_bytes_per_core_step"]), bytes * count) << type;
  }
}

// A decoder of 32 layers of 4096 with a hidden width of 16384 and
// 32000 words has 6.6e9, which take 13.4 GB in bf16: a core with all of them has room for no more.
TEST(RunInference, OfALargeDecoderFitsIntoACoreInBf16) {
  test::Folder folder;
  const std::vector<std::string> decoder{"run",   "transformer",      "--slice",     "1x1",
                                         "--set", "model.layers=32",  "--set",       "model.d_model=4096",
                                         "--set", "model.d_ff=16384", "--set",       "model.heads=32",
                                         "--set", "model.d_head=128", "--set",       "model.sequence=128",
                                         "--set", "model.batch=2",    "--inference", "--json"};
  const double product = 4096.0 * 4096, count = 32 * 12 * product;
  EXPECT_EQ(folder.run(decoder).code, 2) << "26 GB in f32";
  for (const auto& [type, bytes] : {std::pair("bf16", 2.0), std::pair("int8", 1.0)}) {
    std::vector<std::string> typed = decoder;
    typed.insert(typed.end(), {"--weights", type});
    const auto memory = test::json_of(folder, typed)["memory"];
    EXPECT_NEAR(double(memory["parameter_bytes_per_core"]), bytes * count, 0.03 * bytes * count) << type;
    EXPECT_LT(double(memory["peak_bytes_per_core"]), 16e9) << type;
  }
}

// The program multiplies x by w1 and w2; biases b1 and b2 are added.
TEST(RunInference, OfAFileTypesTheParametersThatAreNamed) {
  test::Folder folder;
  const std::string file = PODSIM_SOURCE_DIR "/tests/hlo/stablehlo/programs/layers/mlp.mlir";
  const auto memory = test::json_of(
      folder, {"run", file, "--inference", "--weights", "int8", "--parameters", "w*,b*", "--json"})["memory"];
  ASSERT_EQ(memory["parameter_types"].size(), 2U);
  for (const auto& type : memory["parameter_types"]) {
    const bool quantised = type["type"] == "s8";
    EXPECT_EQ(double(type["element_bytes"]), quantised ? 8 * 16 + 16 * 4 : 2 * (16 + 16 + 4));
  }
  const test::Outcome unnamed = folder.run({"run", file, "--inference", "--weights", "int8"});
  EXPECT_EQ(unnamed.code, 2);
  EXPECT_NE(unnamed.err.find("nothing tells the weights"), std::string::npos) << unnamed.err;
}

// One sentence for two cores: both compute it.
TEST(RunInference, SaysThatCoresDoTheSameWork) {
  test::Folder folder;
  const std::vector<std::string> one{"run",   "bert_large",     "--slice", "1x1",           "--inference",
                                     "--set", "model.layers=2", "--set",   "model.batch=1", "--json"};
  const auto json = test::json_of(folder, one);
  EXPECT_NEAR(double(json["product_copies"]), 2, 1e-9);
  const std::string warning = json["warnings"].dump();
  EXPECT_NE(warning.find("2 cores do the products of the program 2.00 times over"), std::string::npos) << warning;
  std::vector<std::string> two = one;
  *std::ranges::find(two, "model.batch=1") = "model.batch=2";
  EXPECT_NEAR(double(test::json_of(folder, two)["product_copies"]), 1, 1e-9);
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
