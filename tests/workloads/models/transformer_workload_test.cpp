// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer_workload.h"
#include "tests/workloads/models/product_flops.h"
#include "workloads/models/registry.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "sw/ir/transform/flops.h"
#include "sw/spmd/mesh/sharding_file.h"

namespace podsim::workloads::models {
namespace {

/// Elements of the parameters that a step replaces, except slot variables.
double trained_elements(const sw::ir::Module& module) {
  double count = 0;
  const sw::ir::Computation& entry = module.entry_computation();
  for (sw::ir::InstructionId id : entry.parameters) {
    const sw::ir::Instruction& parameter = entry[id];
    if (parameter.shape.element_type != sw::ir::ElementType::f32 || parameter.shape.rank() == 0) continue;
    if (!parameter.name.ends_with("_moment")) count += double(parameter.shape.element_count());
  }
  return count;
}

// 64 layers of 4 * 8192 * (128 * 128) weights of attention and 3 * 8192 * 65536 of the gated block, and an embedding of
// 32768 x 8192.
TEST(Dense137b, HasAsManyParametersAsPublished) {
  const Workload workload = build_workload("dense_137b", {});
  const double count = trained_elements(workload.step.module);
  EXPECT_NEAR(count, 137.7e9, 1e-3 * 137.7e9);
  const double layer = 4.0 * 8192 * 128 * 128 + 3.0 * 8192 * 65536;
  EXPECT_NEAR(count, 64 * layer + 32768.0 * 8192, 1e-4 * count);
}

// 6 FLOPs for every parameter and token, and 12 for every layer, head's element, query and key.
TEST(Dense137b, TakesSixFlopsForEveryParameterAndToken) {
  const Workload workload = build_workload("dense_137b", {});
  const double tokens = 256 * 1024;
  EXPECT_EQ(double(workload.samples * workload.tokens_per_sample), tokens);
  const double attention = 12.0 * 64 * 128 * 128 * tokens * 1024;
  const double expected = 6 * trained_elements(workload.step.module) * tokens + attention;
  EXPECT_NEAR(workload.model_flops, expected, 0.01 * expected);
  // The lookup as a product has no gradient for the tokens: 4 FLOPs more for every element of the table and token.
  const double lookup = 4 * tokens * 32768 * 8192;
  EXPECT_NEAR(product_flops(workload.step.module), expected + lookup, 0.01 * expected);
}

// 18 of 36 layers have 2048 experts of 2 * 1024 * 8192 weights; GShard reports 600e9 parameters.
TEST(GshardMoe, HasAsManyParametersAsPublished) {
  const Workload workload = build_workload("gshard_moe", {});
  const double count = trained_elements(workload.step.module);
  EXPECT_NEAR(count, 600e9, 0.05 * 600e9);
  EXPECT_NEAR(count, 18 * 2048.0 * 2 * 1024 * 8192, 0.01 * count);
  EXPECT_EQ(workload.samples * workload.tokens_per_sample, 4 << 20);
}

TEST(TransformerWorkload, ShardingFilesAnnotateTheProgramsThatTheyComeWith) {
  for (const char* name : {"dense_137b", "gshard_moe"}) {
    Workload workload = build_workload(name, {});
    ASSERT_FALSE(workload.sharding.empty()) << name;
    const sw::spmd::mesh::ShardingFile file = sw::spmd::mesh::read_sharding_file(name, workload.sharding);
    ASSERT_TRUE(file.mesh) << name;
    EXPECT_EQ(file.mesh->partitions(), 2048) << name;
    EXPECT_NO_THROW(sw::spmd::mesh::annotate(workload.step.module, *file.mesh, file)) << name;
  }
}

TEST(TransformerWorkload, SettingsSayHowLargeItIs) {
  WorkloadOptions options;
  options.model = {{"model.layers", "2"},  {"model.d_model", "64"},     {"model.d_ff", "128"},
                   {"model.heads", "2"},   {"model.d_head", "16"},      {"model.vocabulary", "100"},
                   {"model.batch", "4"},   {"model.sequence", "32"},    {"model.activation", "swiglu"},
                   {"model.experts", "4"}, {"model.expert_group", "64"}};
  const Workload workload = build_workload("transformer", options);
  // One dense layer, one with 4 experts; layer norms of 2 * 64, two a layer and one at the end; 32 positions.
  const double attention = 4 * 64 * 2 * 16, block = 3 * 64 * 128, experts = 4 * block + 64 * 4, norms = 5 * 2 * 64;
  EXPECT_EQ(trained_elements(workload.step.module), 2 * attention + block + experts + norms + (100 + 32) * 64);
  EXPECT_EQ(workload.samples, 4);
  EXPECT_EQ(workload.tokens_per_sample, 32);
}

TEST(TransformerWorkload, AnEncoderReadsAsManyTokensAsTheDecoderUnlessSet) {
  WorkloadOptions options;
  options.model = {{"model.encoder_layers", "1"}, {"model.sequence", "24"}, {"model.layers", "1"}};
  const auto tokens_of_the_source = [](const Workload& workload) {
    const sw::ir::Computation& entry = workload.step.module.entry_computation();
    return entry[entry.parameters[0]].shape.dimensions.at(1);
  };
  EXPECT_EQ(tokens_of_the_source(build_workload("transformer", options)), 24);
  options.model["model.source_sequence"] = "40";
  EXPECT_EQ(tokens_of_the_source(build_workload("transformer", options)), 40);
}

TEST(TransformerWorkload, ExpertsThatNoLayerHasAreRefused) {
  WorkloadOptions options;
  options.model = {{"model.experts", "4"}, {"model.layers", "1"}};
  try {
    build_workload("transformer", options);
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("in no layer: one in 2"), std::string::npos) << error.what();
  }
  options.model["model.expert_interval"] = "1";
  EXPECT_NO_THROW(build_workload("transformer", options));
}

TEST(TransformerWorkload, GroupsThatTokensDoNotFillAreRefused) {
  WorkloadOptions options;
  options.model = {
      {"model.batch", "4"}, {"model.sequence", "32"}, {"model.experts", "4"}, {"model.expert_group", "48"}};
  EXPECT_THROW(build_workload("transformer", options), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::models
