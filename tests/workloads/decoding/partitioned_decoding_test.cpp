// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hlo/spmd/mesh/sharding_file.h"
#include "tests/workloads/decoding/decoder_run.h"
#include "tests/workloads/on_partitions.h"
#include "workloads/models/transformer_shardings.h"
#include "workloads/shardings/shardings.h"

/// Steps of decoding on a few partitions give what one device gives.
namespace podsim::workloads {
namespace {

using models::TransformerOptions;

TransformerOptions shared_decoder() {
  TransformerOptions options;
  options.batch = 4;
  options.sequence = 16;
  options.vocabulary = 12;
  options.layers = 2;
  options.model = 8;
  options.attention = {4, 6};
  options.attention.rotary = 6;
  options.feed_forward = {12, layers::Activation::swiglu, false};
  options.norm = layers::NormKind::rms_norm;
  options.position_embedding = false;
  options.precision = testing::double_precision();
  return options;
}

DecodeOptions cached_tokens() {
  DecodeOptions decode;
  decode.cached = 5;
  decode.capacity = 12;
  return decode;
}

/// Small whole numbers that every index may have; random numbers otherwise.
hlo::Literal argument(const hlo::Instruction& parameter) {
  if (parameter.shape.element_type != hlo::ElementType::s32) return testing::weight_named(parameter);
  hlo::Literal literal = hlo::testing::random_literal(parameter.shape, 9, 0, 4);
  for (double& value : literal.values) value = std::floor(value);
  if (parameter.name == "position") {
    for (std::size_t i = 0; i < literal.values.size(); ++i) literal.values[i] = double(5 + i);
  }
  if (parameter.name == "block_table") {
    for (std::size_t i = 0; i < literal.values.size(); ++i) literal.values[i] = double(literal.values.size() - 1 - i);
  }
  return literal;
}

/// Evaluates the step as a whole and partitioned by the sharding.
void expect_same_by(const std::string& text, const TransformerOptions& options, const DecodeOptions& decode) {
  SCOPED_TRACE(text);
  TrainingStep step = models::transformer_decode_step(options, decode);
  step.module.donations = step.donations;
  const hlo::spmd::mesh::ShardingFile file = hlo::spmd::mesh::read_sharding_file("test", text);
  hlo::spmd::mesh::annotate(step.module, *file.mesh, file);
  const hlo::Computation& entry = step.module.entry_computation();
  std::vector<hlo::Literal> arguments;
  for (const hlo::InstructionId id : entry.parameters) arguments.push_back(argument(entry[id]));
  const hlo::Literal expected = hlo::eval::evaluate(step.module, arguments);
  const std::vector<hlo::Literal> found = testing::on_partitions(step.module, *file.mesh, arguments);
  ASSERT_EQ(found.size(), expected.elements.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].values.size(), expected.elements[i].values.size());
    for (std::size_t k = 0; k < found[i].values.size(); ++k) {
      ASSERT_NEAR(found[i].values[k], expected.elements[i].values[k], 1e-9) << "result " << i << ", element " << k;
    }
  }
}

void expect_same(const TransformerOptions& options, const DecodeOptions& decode, std::int64_t cores,
                 std::int64_t ways) {
  SCOPED_TRACE(::testing::Message() << cores << " cores, of which " << ways << " share the heads");
  expect_same_by(models::decode_sharding(models::tensor_parallel(options, cores, ways),
                                         models::decoded_network(options), decode, cores),
                 options, decode);
}

void expect_same_on_meshes(const TransformerOptions& options, const DecodeOptions& decode) {
  expect_same(options, decode, 4, 4);
  expect_same(options, decode, 4, 2);
  expect_same(options, decode, 4, 1);
}

TEST(PartitionedDecoding, OfHeadsAndSequences) {
  DecodeOptions decode = cached_tokens();
  expect_same_on_meshes(shared_decoder(), decode);
  decode.logits = decode.all_next = true;
  decode.new_tokens = 3;
  expect_same_on_meshes(shared_decoder(), decode);
  decode.cached = 0;
  expect_same_on_meshes(shared_decoder(), decode);
}

TEST(PartitionedDecoding, OfSequencesAndKeyHeadsThatDoNotDivide) {
  TransformerOptions options = shared_decoder();
  options.batch = 1;
  options.attention.key_heads = 1;
  expect_same_on_meshes(options, cached_tokens());
  options.batch = 3;
  options.attention.key_heads = 2;
  expect_same_on_meshes(options, cached_tokens());
}

TEST(PartitionedDecoding, OfPositionsOfTheirOwn) {
  DecodeOptions decode = cached_tokens();
  decode.ragged = true;
  expect_same_on_meshes(shared_decoder(), decode);
}

TEST(PartitionedDecoding, OfPagesAmongCoresThatShareTheHeads) {
  DecodeOptions decode = cached_tokens();
  decode.page = 4;
  expect_same(shared_decoder(), decode, 4, 4);
  decode.cache_type = CacheType::int8;
  expect_same(shared_decoder(), decode, 4, 4);
}

TEST(PartitionedDecoding, OfABeamAndOfALoop) {
  TransformerOptions options = shared_decoder();
  DecodeOptions decode = cached_tokens();
  decode.steps = 3;
  expect_same_on_meshes(options, decode);
  options.batch = 8;
  decode.beam = 2;
  expect_same_on_meshes(options, decode);
  decode.steps = 1;
  expect_same_on_meshes(options, decode);
}

TEST(PartitionedDecoding, OfAPrefillThatJoins) {
  DecodeOptions decode = cached_tokens();
  decode.prefill = 3;
  decode.prefill_capacity = 8;
  decode.logits = true;
  expect_same(shared_decoder(), decode, 4, 4);
}

// One group of all tokens is whole on each core; as many groups as cores are divided among them.
TEST(PartitionedDecoding, OfExpertsEachOnACore) {
  TransformerOptions options = shared_decoder();
  options.feed_forward.activation = layers::Activation::relu;
  options.mixture = {.experts = 4, .interval = 2, .capacity_factor = 8};
  models::DecodedNetwork network = models::decoded_network(options);
  for (const std::int64_t groups : {1, 4}) {
    network.expert_groups = groups;
    options.mixture.group = options.batch / groups;
    const std::string text = models::decode_sharding(shardings::sharding_text("gshard"), network, cached_tokens(), 4);
    expect_same_by(text, options, cached_tokens());
  }
}

TEST(PartitionedDecoding, OfLatents) {
  TransformerOptions options = shared_decoder();
  options.attention.latent = 5;
  DecodeOptions decode = cached_tokens();
  expect_same_on_meshes(options, decode);
  decode.page = 4;
  expect_same(options, decode, 4, 4);
}

TEST(PartitionedDecoding, OfTheKeysOfAnEncoder) {
  TransformerOptions options = shared_decoder();
  options.attention.rotary = 0;
  options.encoder_layers = 1;
  options.source_sequence = 6;
  DecodeOptions decode = cached_tokens();
  expect_same_on_meshes(options, decode);
  decode.cached = 0;
  expect_same_on_meshes(options, decode);
}

}  // namespace
}  // namespace podsim::workloads
