// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sw/ir/graph.h"
#include "workloads/models/registry.h"
#include "workloads/nets/net_reader.h"
#include "workloads/nets/net_workload.h"

namespace podsim::workloads::nets {
namespace {

/// The text of a module without what layers and tensors are called.
std::string without_names(sw::ir::Module module) {
  module.name = "net";
  for (sw::ir::Computation& computation : module.computations) {
    for (sw::ir::Instruction& instruction : computation.instructions) {
      instruction.op_name.clear();
      instruction.name = std::to_string(&instruction - computation.instructions.data());
    }
  }
  return sw::ir::to_string(module);
}

std::string example(const std::string& name) {
  std::ifstream file(std::filesystem::path(PODSIM_SOURCE_DIR) / "examples/nets" / name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect_equal_steps(const std::string& page, const std::string& built_in, WorkloadOptions options,
                        const ModelSettings& of_page = {}) {
  const Workload net = net_workload(read_net(page, example(page), of_page), options);
  const Workload workload = models::build_workload(built_in, options);
  EXPECT_EQ(net.samples, workload.samples);
  EXPECT_EQ(net.tokens_per_sample, workload.tokens_per_sample);
  EXPECT_EQ(net.global, workload.global);
  EXPECT_EQ(without_names(net.step.module), without_names(workload.step.module));
  EXPECT_EQ(net.step.donations, workload.step.donations);
}

TEST(Net, ResNet50IsTheBuiltInProgramInstructionByInstruction) {
  expect_equal_steps("resnet50.toml", "resnet50", {.replicas = 32});
}

TEST(Net, ResNet50OfAnotherWidthBatchAndOptimiserIsTheBuiltInProgram) {
  expect_equal_steps(
      "resnet50.toml", "resnet50",
      {.batch_per_core = 4, .optimizer = OptimizerKind::sgd_momentum, .replicas = 8, .model = {{"model.width", "32"}}},
      {{"model.width", "32"}});
}

TEST(Net, BertLargeIsTheBuiltInProgramInstructionByInstruction) {
  expect_equal_steps("bert_large.toml", "bert_large", {.replicas = 32});
}

}  // namespace
}  // namespace podsim::workloads::nets
