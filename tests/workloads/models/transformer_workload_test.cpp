// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer_workload.h"
#include "workloads/models/registry.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/transform/flops.h"

namespace podsim::workloads::models {
namespace {

/// Elements of the parameters that a step replaces, except slot variables.
double trained_elements(const hlo::Module& module) {
  double count = 0;
  const hlo::Computation& entry = module.entry_computation();
  for (hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    if (parameter.shape.element_type != hlo::ElementType::f32 || parameter.shape.rank() == 0) continue;
    if (!parameter.name.ends_with("_moment")) count += double(parameter.shape.element_count());
  }
  return count;
}

// The number that Lingvo's file states for DenseLm128B.
TEST(Dense137b, HasAsManyParametersAsPublished) {
  EXPECT_EQ(trained_elements(build_workload("dense_137b", {}).step.module), 137'702'416'384.0);
}

// 6,053,381,344: the parameters of the published checkpoint of GPT-J; biases are some 3e6 of them.
TEST(Gpt6b, HasAsManyParametersAsPublished) {
  const Workload workload = build_workload("gpt_6b", {});
  const double count = trained_elements(workload.step.module);
  EXPECT_NEAR(count, 6'053'381'344.0, 1e-3 * count);
  EXPECT_EQ(workload.samples, 64);
}

TEST(Gpt6b, RefusesPartsThatDoNotDivideTheBatch) {
  WorkloadOptions options;
  options.model["model.accumulate"] = "7";
  EXPECT_THROW(build_workload("gpt_6b", options), base::InputError);
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
  EXPECT_NEAR(hlo::transform::product_flops(workload.step.module), expected + lookup, 0.01 * expected);
}

// 18 of 36 layers have 2048 experts of 2 * 1024 * 8192 weights; GShard reports 600e9 parameters.
TEST(MoeDecoder, HasAsManyParametersAsPublished) {
  const Workload workload = build_workload("moe_decoder", {});
  const double count = trained_elements(workload.step.module);
  EXPECT_NEAR(count, 600e9, 0.05 * 600e9);
  EXPECT_NEAR(count, 18 * 2048.0 * 2 * 1024 * 8192, 0.01 * count);
  EXPECT_EQ(workload.samples * workload.tokens_per_sample, 4 << 20);
}

// An embedding of 33708 x 1024; layers of 4 x 1024^2 for each attention, 2 x 1024 x 4096 for the block and 2 x 1024 for
// each norm. Published (Vaswani et al. 2017, table 3): 213 million with another vocabulary of 37000, whose embedding is
// 3.4 million larger.
TEST(TransformerMlperf, HasAsManyParametersAsPublished) {
  const double count = trained_elements(build_workload("transformer_mlperf", {}).step.module);
  const double attention = 4.0 * 1024 * 1024 + 2 * 1024, block = 2.0 * 1024 * 4096 + 2 * 1024;
  EXPECT_EQ(count, 33708.0 * 1024 + 6 * (attention + block) + 6 * (2 * attention + block) + 2 * 2 * 1024);
  EXPECT_NEAR(count, 213e6 - (37000 - 33708) * 1024, 0.01 * 213e6);
}

// GShard's table 1 in round numbers: 36 layers with 512 and 2048 experts have 150 and 600 billion parameters, 12 layers
// with 2048 have 200 billion. The closed form: an expert has 2 x 1024 x 8192, as every block that is none; attention
// 4 x 1024 x 2048, of which a decoder's layer has two; gates 1024 a mixture and expert; norms a scale and a bias each.
TEST(Gshard, HasAsManyParametersAsPublished) {
  struct Size {
    const char *layers, *experts;
    double stack, of_mixture, published;
  };
  for (const Size& size :
       {Size{"18", "512", 18, 512, 150e9}, {"18", "2048", 18, 2048, 600e9}, {"6", "2048", 6, 2048, 200e9}}) {
    WorkloadOptions options;
    options.replicas = 128;
    options.model = {{"model.layers", size.layers},
                     {"model.encoder_layers", size.layers},
                     {"model.experts", size.experts},
                     {"model.batch", "128"}};
    const double count = trained_elements(build_workload("gshard", options).step.module);
    EXPECT_NEAR(count, size.published, 0.05 * size.published) << size.layers << " " << size.experts;
    const double block = 2.0 * 1024 * 8192, attention = 4.0 * 1024 * 2048, norm = 2 * 1024;
    const double mixtures = size.stack * (size.of_mixture * (block + 1024)), dense = size.stack * block;
    const double others = size.stack * (3 * attention + 5 * norm) + 2 * norm + (32000.0 + 64000) * 1024;
    EXPECT_EQ(count, mixtures + dense + others) << size.layers << " " << size.experts;
  }
}

// Expert inputs of the published layers (Lingvo, gshard_layers.py): [512 experts, 1024 groups, 4 slots, 1024].
TEST(Gshard, GroupsHaveThePublishedSlots) {
  WorkloadOptions options;
  options.replicas = 512;
  options.model = {
      {"model.layers", "2"}, {"model.encoder_layers", "2"}, {"model.experts", "512"}, {"model.batch", "1024"}};
  const Workload workload = build_workload("gshard", options);
  EXPECT_EQ(workload.samples * workload.tokens_per_sample, 1 << 20) << "tokens of source and target";
  int combines = 0;
  for (const hlo::Instruction& instruction : workload.step.module.entry_computation().instructions) {
    if (!instruction.op_name.ends_with("moe/combine") || instruction.shape.rank() != 4) continue;
    EXPECT_EQ(instruction.shape.dimensions, (std::vector<std::int64_t>{1024, 512, 4, 512}));
    ++combines;
  }
  EXPECT_EQ(combines, 2);
}

TEST(Gshard, ComesWithAShardingOverAllCores) {
  WorkloadOptions options;
  options.replicas = 16;
  options.model = {
      {"model.layers", "2"}, {"model.encoder_layers", "2"}, {"model.experts", "16"}, {"model.batch", "16"}};
  Workload workload = build_workload("gshard", options);
  const hlo::spmd::mesh::ShardingFile file = hlo::spmd::mesh::read_sharding_file("gshard", workload.sharding);
  ASSERT_TRUE(file.mesh);
  EXPECT_EQ(file.mesh->partitions(), 16);
  EXPECT_NO_THROW(hlo::spmd::mesh::annotate(workload.step.module, *file.mesh, file));
}

TEST(TransformerWorkload, ShardingFilesAnnotateTheProgramsThatTheyComeWith) {
  for (const char* name : {"dense_137b", "moe_decoder"}) {
    Workload workload = build_workload(name, {});
    ASSERT_FALSE(workload.sharding.empty()) << name;
    const hlo::spmd::mesh::ShardingFile file = hlo::spmd::mesh::read_sharding_file(name, workload.sharding);
    ASSERT_TRUE(file.mesh) << name;
    EXPECT_EQ(file.mesh->partitions(), 2048) << name;
    EXPECT_NO_THROW(hlo::spmd::mesh::annotate(workload.step.module, *file.mesh, file)) << name;
  }
}

// A step of these shardings is that of one device: Partitioned.TransformersAsTheirKeysShardThem.
TEST(TransformerWorkload, IsShardedByItsKeys) {
  WorkloadOptions options;
  options.replicas = 8;
  options.model = {{"model.tensor_parallel", "4"}};
  EXPECT_NE(build_workload("transformer", options).sharding.find("axes = \"data=2,model=4\""), std::string::npos);
  options.model = {{"model.shard_weights", "on"}};
  EXPECT_NE(build_workload("transformer", options).sharding.find("axes = \"x=8\""), std::string::npos);
  options.model["model.tensor_parallel"] = "4";
  const std::string both = build_workload("transformer", options).sharding;
  EXPECT_NE(both.find("axes = \"data=2,model=4\""), std::string::npos);
  EXPECT_NE(both.find("\"layer*/ffn/w_in\" = [\"data\", \"model\"]"), std::string::npos);
  options.model = {{"model.tensor_parallel", "3"}};
  EXPECT_THROW(build_workload("transformer", options), base::InputError);
}

TEST(TransformerWorkload, ShardingsOfBuiltInsSuitNetworksWithoutGates) {
  WorkloadOptions options;
  options.model = {{"model.layers", "1"}, {"model.activation", "relu"}};
  Workload workload = build_workload("dense_137b", options);
  const hlo::spmd::mesh::ShardingFile file = hlo::spmd::mesh::read_sharding_file("dense_137b", workload.sharding);
  EXPECT_NO_THROW(hlo::spmd::mesh::annotate(workload.step.module, *file.mesh, file));
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
    const hlo::Computation& entry = workload.step.module.entry_computation();
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
