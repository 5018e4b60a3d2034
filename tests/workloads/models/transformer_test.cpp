// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer.h"
#include "hlo/build/verify.h"
#include "tests/workloads/by_name.h"

#include <gtest/gtest.h>

#include <map>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/workloads/tiny.h"
#include "tests/workloads/transformer_reference.h"
#include "workloads/models/transformer_size.h"

namespace podsim::workloads::models {
namespace {

using hlo::Literal;

TransformerOptions tiny_transformer() {
  TransformerOptions options;
  options.batch = 2;
  options.sequence = 4;
  options.vocabulary = 7;
  options.layers = 2;
  options.model = 6;
  options.attention = {3, 4};
  options.feed_forward = {5, layers::Activation::gelu, false};
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

TransformerOptions gated() {
  TransformerOptions options = tiny_transformer();
  options.feed_forward.activation = layers::Activation::geglu;
  options.norm = layers::NormKind::rms_norm;
  options.lookup = layers::EmbeddingLookup::gather;
  options.tied_embedding = false;
  options.position_embedding = false;
  return options;
}

TransformerOptions swish() {
  TransformerOptions options = gated();
  options.feed_forward.activation = layers::Activation::swiglu;
  options.tied_embedding = true;
  return options;
}

TransformerOptions with_shared_keys() {
  TransformerOptions options = tiny_transformer();
  options.attention = {6, 4};
  options.attention.key_heads = 2;
  options.attention.biases = true;
  return options;
}

TransformerOptions with_encoder() {
  TransformerOptions options = tiny_transformer();
  options.layers = 1;
  options.encoder_layers = 2;
  options.source_sequence = 3;
  options.feed_forward = {5, layers::Activation::relu, true};
  options.attention.biases = true;
  return options;
}

/// Two sentences in every sequence, as in MLPerf's translation.
TransformerOptions packed() {
  TransformerOptions options = with_encoder();
  options.packed = true;
  options.label_smoothing = 0.1;
  options.position_embedding = false;
  return options;
}

/// As GPT-J: both blocks of a layer in parallel, gradients of one sequence after another.
TransformerOptions in_parts() {
  TransformerOptions options = tiny_transformer();
  options.parallel_blocks = true;
  options.accumulate = 2;
  options.tied_embedding = false;
  options.position_embedding = false;
  return options;
}

/// As Lingvo's dense decoders, with distances in three buckets of four, and normalised queries and keys.
TransformerOptions relative() {
  TransformerOptions options = gated();
  options.sequence = 6;
  options.attention.relative_buckets = 4;
  options.attention.wide_scores = true;
  options.attention.query_key_norm = true;
  return options;
}

/// As above, with exponentials divided late.
TransformerOptions relative_with_late_division() {
  TransformerOptions options = relative();
  options.attention.late_division = true;
  options.attention.key_heads = 1;
  return options;
}

/// As Llama and Mistral: positions turn queries and keys, and tokens reach back over three.
TransformerOptions rotary() {
  TransformerOptions options = gated();
  options.sequence = 6;
  options.attention.rotary = 4;
  options.attention.window = 3;
  return options;
}

/// As DeepSeek-V2: all heads' keys and values are products of one latent vector.
TransformerOptions latent() {
  TransformerOptions options = gated();
  options.attention.rotary = 2;
  options.attention.latent = 5;
  return options;
}

/// Random: tokens below the vocabulary, scales about 1, slots 0.
std::vector<hlo::Literal> transformer_arguments(const hlo::Module& module, const TransformerOptions& options) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  unsigned seed = 1;
  for (hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    double low = -0.7, high = 0.7;
    if (parameter.shape.element_type == hlo::ElementType::s32) low = 0, high = double(options.vocabulary);
    if (parameter.name.ends_with("scale")) low = 0.8, high = 1.2;
    if (parameter.name.ends_with("momentum")) low = high = 0;
    arguments.push_back(hlo::testing::random_literal(parameter.shape, seed++, low, high));
    if (parameter.shape.element_type == hlo::ElementType::s32) {
      for (double& value : arguments.back().values) value = std::floor(value);
    }
    if (parameter.name.ends_with("sentences")) {
      const std::size_t length = std::size_t(parameter.shape.dimensions[1]);
      for (std::size_t i = 0; i < length * std::size_t(options.batch); ++i) {
        arguments.back().values[i] = i % length < length / 2 ? 0 : 1;
      }
    }
  }
  return arguments;
}

class Transformer : public ::testing::TestWithParam<TransformerOptions (*)()> {};

TEST_P(Transformer, HasTheLossOfTheFormulas) {
  const TransformerOptions options = GetParam()();
  const hlo::Module module = transformer_forward(options);
  hlo::build::verify(module);
  const std::vector<hlo::Literal> arguments = transformer_arguments(module, options);
  const auto tensors = testing::by_name(module, arguments);
  const double expected = testing::ReferenceTransformer(options, tensors).loss();
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-12 * expected);
}

// The first three elements of every tensor, by central differences of the loss of the formulas.
TEST_P(Transformer, HasTheSlopesOfThatLoss) {
  const TransformerOptions options = GetParam()();
  const TrainingStep step = transformer_training_step(options);
  hlo::build::verify(step.module);
  const std::vector<hlo::Literal> arguments = transformer_arguments(step.module, options);
  const hlo::Literal result = hlo::eval::evaluate(step.module, arguments);
  auto tensors = testing::by_name(step.module, arguments);
  const hlo::Computation& entry = step.module.entry_computation();
  const std::size_t trained = (result.elements.size() - 1) / 2;
  const double h = 1e-5;
  for (std::size_t i = 0; i < trained; ++i) {
    const std::string& name = entry[entry.parameters[step.donations[i].parameter]].name;
    const hlo::Literal& slope = result.elements[trained + i];  // the new momentum, which was zero
    for (std::size_t k = 0; k < std::min<std::size_t>(3, slope.values.size()); ++k) {
      double& value = tensors[name].values[k];
      const double middle = value;
      value = middle + h;
      const double above = testing::ReferenceTransformer(options, tensors).loss();
      value = middle - h;
      const double below = testing::ReferenceTransformer(options, tensors).loss();
      value = middle;
      const double expected = (above - below) / (2 * h);
      EXPECT_NEAR(slope.values[k], expected, 1e-8 + 1e-5 * std::abs(expected)) << name << "[" << k << "]";
    }
  }
}

TEST_P(Transformer, HasAsManyParametersAsItsSizeSays) {
  const TransformerOptions options = GetParam()();
  const TrainingStep step = transformer_training_step(options);
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < step.donations.size() / 2; ++i) {
    count += entry[entry.parameters[step.donations[i].parameter]].shape.element_count();
  }
  EXPECT_EQ(parameter_count(options), count);
}

INSTANTIATE_TEST_SUITE_P(Transformer, Transformer,
                         ::testing::Values(tiny_transformer, gated, swish, with_shared_keys, with_encoder, packed,
                                           in_parts, relative, relative_with_late_division, rotary, latent));

TEST(Transformer, CountsTheParametersOfExperts) {
  TransformerOptions options = with_encoder();
  options.layers = 2;
  options.mixture.experts = 3;
  const TrainingStep step = transformer_training_step(options);
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < step.donations.size() / 2; ++i) {
    count += entry[entry.parameters[step.donations[i].parameter]].shape.element_count();
  }
  EXPECT_EQ(parameter_count(options), count);
}

TEST(Transformer, ItsProductsTakeTheFlopsOfTheClosedForm) {
  for (auto options : {gated(), swish()}) {
    EXPECT_DOUBLE_EQ(hlo::transform::product_flops(transformer_training_step(options).module), model_flops(options));
  }
  // A lookup by product reads a table of V rows for every token, forward and for the table's gradient.
  for (auto options : {tiny_transformer(), with_shared_keys(), with_encoder()}) {
    const double lookups = double(options.batch * (options.sequence + options.source_sequence));
    EXPECT_DOUBLE_EQ(hlo::transform::product_flops(transformer_training_step(options).module),
                     model_flops(options) + 4 * lookups * double(options.vocabulary * options.model));
  }
}

TEST(Transformer, ValuesThatUsersAnnotateAreOneInstructionEach) {
  TransformerOptions options;
  options.layers = 3;
  options.feed_forward.activation = layers::Activation::geglu;
  const hlo::Module module = transformer_training_step(options).module;
  const hlo::Computation& entry = module.entry_computation();
  const std::vector<std::int64_t> stream{8, 512, 768}, hidden{8, 512, 3072}, heads{8, 512, 12, 64},
      scores{8, 12, 512, 512};
  const std::map<std::string, std::vector<std::int64_t>> expected = {
      {"embed/lookup", stream},
      {"layer2/residual", stream},
      {"layer2/attention/residual", stream},
      {"layer2/ffn/hidden", hidden},
      {"layer2/ffn/in", hidden},
      {"layer2/ffn/gate", hidden},
      {"layer2/ffn/out", stream},
      {"layer2/attention/q", heads},
      {"layer2/attention/scores", scores},
      {"layer2/attention/output", stream},
      {"logits", {8, 512, 32000}},
      {"layer2/attention/context", {8, 12, 512, 64}},
      {"layer2/attention/probabilities", scores},
      {"gradients/layer2/ffn/w_in", {768, 3072}},
  };
  for (const auto& [name, sizes] : expected) {
    int count = 0;
    for (const hlo::Instruction& instruction : entry.instructions) {
      if (instruction.op_name != name) continue;
      ++count;
      EXPECT_EQ(instruction.shape.dimensions, sizes) << name;
    }
    EXPECT_EQ(count, 1) << name;
  }
}

}  // namespace
}  // namespace podsim::workloads::models
