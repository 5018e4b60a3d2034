// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

TEST(RunInference, IsRefusedWhereTheStatisticsOfABatchWouldBeNeeded) {
  test::Folder folder;
  const test::Outcome outcome = folder.run({"run", "ssd", "--inference"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("'ssd' has no form for inference"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim::app
