// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/bert.h"
#include "hlo/build/verify.h"
#include "tests/workloads/by_name.h"

#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/workloads/slopes.h"
#include "tests/workloads/tiny.h"
#include "tests/workloads/transformer_reference.h"

namespace podsim::workloads::models {
namespace {

using hlo::Literal;
using testing::Matrix;

BertOptions tiny_bert(layers::EmbeddingLookup lookup) {
  BertOptions options;
  options.batch = 2;
  options.sequence = 5;
  options.predictions = 2;
  options.vocabulary = 7;
  options.layers = 2;
  options.model = 6;
  options.attention = {.heads = 3, .head_size = 2, .biases = true};
  options.feed_forward = {5, layers::Activation::gelu, true};
  options.lookup = lookup;
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

TransformerOptions blocks_of(const BertOptions& options) {
  TransformerOptions blocks;
  blocks.model = options.model;
  blocks.attention = options.attention;
  blocks.feed_forward = options.feed_forward;
  return blocks;
}

/// BERT in loops over numbers.
class ReferenceBert : testing::ReferenceTransformer {
 public:
  using Tensors = testing::ReferenceTransformer::Tensors;
  ReferenceBert(const BertOptions& options, const TransformerOptions& blocks, const Tensors& tensors)
      : testing::ReferenceTransformer(blocks, tensors), bert_(options) {}

  double loss() const {
    double of_tokens = 0, of_sequences = 0;
    for (std::int64_t sample = 0; sample < bert_.batch; ++sample) {
      const testing::Matrix x = encoded(sample);
      for (std::int64_t i = 0; i < bert_.predictions; ++i) of_tokens += token_loss(x, sample * bert_.predictions + i);
      of_sequences += sequence_loss(x, sample);
    }
    return of_tokens / double(bert_.batch * bert_.predictions) + of_sequences / double(bert_.batch);
  }

 private:
  testing::Matrix encoded(std::int64_t sample) const {
    const std::int64_t model = bert_.model, length = bert_.sequence;
    testing::Matrix x(length, model);
    for (std::int64_t i = 0; i < length; ++i) {
      const auto token = std::int64_t(tensor("tokens")[sample * length + i]);
      const auto segment = std::int64_t(tensor("segments")[sample * length + i]);
      for (std::int64_t j = 0; j < model; ++j) {
        x(i, j) = tensor("embedding")[token * model + j] + tensor("position_embedding")[i * model + j] +
                  tensor("segment_embedding")[segment * model + j];
      }
    }
    x = norm(x, "embed/norm");
    const auto present = [&](std::int64_t, std::int64_t j) { return tensor("present")[sample * length + j] != 0; };
    for (std::int64_t i = 0; i < bert_.layers; ++i) {
      const std::string layer = "layer" + std::to_string(i);
      x = norm(sum(x, attended(x, x, layer + "/attention", present)), layer + "/attention/norm");
      x = norm(sum(x, feed_forward(x, layer + "/ffn")), layer + "/ffn/norm");
    }
    return x;
  }

  testing::Matrix row(const testing::Matrix& x, std::int64_t i) const {
    testing::Matrix result(1, x.columns);
    for (std::int64_t j = 0; j < x.columns; ++j) result(0, j) = x(i, j);
    return result;
  }

  testing::Matrix dense(const testing::Matrix& x, const std::string& scope, std::int64_t units) const {
    return plus_bias(times(x, scope + "/w", units), scope + "/b", true);
  }

  static double cross_entropy_of(const std::vector<double>& logits, double label) {
    double sum = 0;
    for (double logit : logits) sum += std::exp(logit);
    return std::log(sum) - logits[std::size_t(label)];
  }

  double token_loss(const testing::Matrix& x, std::int64_t prediction) const {
    testing::Matrix y = dense(row(x, std::int64_t(tensor("masked_places")[prediction])), "masked", bert_.model);
    for (double& value : y.values) value = bent(value);
    y = norm(y, "masked/norm");
    std::vector<double> logits = tensor("masked/bias");
    for (std::int64_t v = 0; v < bert_.vocabulary; ++v) {
      for (std::int64_t j = 0; j < bert_.model; ++j) logits[v] += y(0, j) * tensor("embedding")[v * bert_.model + j];
    }
    return cross_entropy_of(logits, tensor("masked_tokens")[prediction]);
  }

  double sequence_loss(const testing::Matrix& x, std::int64_t sample) const {
    testing::Matrix pooled = dense(row(x, 0), "pooler", bert_.model);
    for (double& value : pooled.values) value = std::tanh(value);
    return cross_entropy_of(dense(pooled, "follows_head", 2).values, tensor("follows")[sample]);
  }

  const BertOptions& bert_;
};

/// Random; the last token of the second sequence is none.
std::vector<hlo::Literal> bert_arguments(const hlo::Module& module, const BertOptions& options) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  unsigned seed = 1;
  for (hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    double low = -0.7, high = 0.7;
    if (parameter.name == "tokens" || parameter.name == "masked_tokens") low = 0, high = double(options.vocabulary);
    if (parameter.name == "masked_places") low = 0, high = double(options.sequence);
    if (parameter.name == "segments" || parameter.name == "follows") low = 0, high = 2;
    if (parameter.name == "present") low = high = 1;
    if (parameter.name.ends_with("scale")) low = 0.8, high = 1.2;
    if (parameter.name.ends_with("momentum")) low = high = 0;
    arguments.push_back(hlo::testing::random_literal(parameter.shape, seed++, low, high));
    if (parameter.shape.element_type == hlo::ElementType::s32) {
      for (double& value : arguments.back().values) value = std::floor(value);
    }
    if (parameter.name == "present") arguments.back().values.back() = 0;
  }
  return arguments;
}

TEST(Bert, HasTheLossOfTheFormulas) {
  for (const auto lookup : {layers::EmbeddingLookup::one_hot, layers::EmbeddingLookup::gather}) {
    BertOptions options = tiny_bert(lookup);
    options.attention.late_division = lookup == layers::EmbeddingLookup::gather;
    const hlo::Module module = bert_forward(options);
    hlo::build::verify(module);
    const std::vector<hlo::Literal> arguments = bert_arguments(module, options);
    const auto tensors = testing::by_name(module, arguments);
    const double expected = ReferenceBert(options, blocks_of(options), tensors).loss();
    EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-12 * expected);
  }
}

void expect_slopes_of_the_loss(const BertOptions& options) {
  const TrainingStep step = bert_training_step(options);
  const TransformerOptions blocks = blocks_of(options);
  testing::expect_slopes(step, bert_arguments(step.module, options),
                         [&](const auto& tensors) { return ReferenceBert(options, blocks, tensors).loss(); });
}

TEST(Bert, HasTheSlopesOfThatLoss) { expect_slopes_of_the_loss(tiny_bert(layers::EmbeddingLookup::one_hot)); }

TEST(Bert, HasTheSameSlopesIfItsSoftmaxIsDividedLate) {
  BertOptions options = tiny_bert(layers::EmbeddingLookup::gather);
  options.attention.late_division = true;
  expect_slopes_of_the_loss(options);
}

// 336,226,108: the parameters of the published checkpoint of BERT-large (uncased) with both heads.
TEST(Bert, LargeHasAsManyParametersAsThePublishedCheckpoint) {
  const TrainingStep step = bert_training_step({});
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < step.donations.size() / 3; ++i) {
    count += entry[entry.parameters[step.donations[i].parameter]].shape.element_count();
  }
  EXPECT_EQ(count, 336'226'108);
}

// The rows that one-hot products look up (tokens, segments, masked positions) are counted separately.
TEST(Bert, ItsProductsTakeTheFlopsOfTheClosedForm) {
  const BertOptions options = tiny_bert(layers::EmbeddingLookup::gather);
  const hlo::Module module = bert_training_step(options).module;
  const hlo::Computation& entry = module.entry_computation();
  double flops = 0;
  for (hlo::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    if (entry[id].opcode == hlo::Opcode::dot) flops += double(hlo::transform::cost(module, entry, id).flops);
  }
  const double tokens = double(options.batch * options.sequence), model = double(options.model);
  const double lookups = 4 * tokens * model * 2 + 4 * tokens * double(options.predictions) * model;
  EXPECT_DOUBLE_EQ(flops, bert_flops(options) + lookups);
}

}  // namespace
}  // namespace podsim::workloads::models
