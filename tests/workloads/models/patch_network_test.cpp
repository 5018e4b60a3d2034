// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/patch_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/hlo/literals.h"
#include "tests/workloads/by_name.h"
#include "tests/workloads/slopes.h"
#include "tests/workloads/tiny.h"
#include "tests/workloads/transformer_reference.h"

namespace podsim::workloads::models {
namespace {

using testing::Matrix;

PatchNetworkOptions tiny_network(PatchMixing mixing) {
  PatchNetworkOptions options;
  options.batch = 2;
  options.image_size = 6;
  options.patch = 2;
  options.classes = 4;
  options.layers = 2;
  options.model = 5;
  options.mixing = mixing;
  options.attention = {.heads = 2, .head_size = 3, .biases = true};
  options.hidden_patches = 7;
  options.feed_forward = {.hidden = 6, .activation = layers::Activation::gelu, .biases = true};
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

TransformerOptions patch_blocks(const PatchNetworkOptions& options) {
  TransformerOptions blocks;
  blocks.model = options.model;
  blocks.attention = options.attention;
  blocks.feed_forward = options.feed_forward;
  return blocks;
}

/// The classifiers in loops over numbers.
class ReferencePatchNetwork : testing::ReferenceTransformer {
 public:
  using Tensors = testing::ReferenceTransformer::Tensors;
  ReferencePatchNetwork(const PatchNetworkOptions& options, const TransformerOptions& blocks, const Tensors& tensors)
      : testing::ReferenceTransformer(blocks, tensors), network_(options) {}

  double loss() const {
    double sum = 0;
    for (std::int64_t image = 0; image < network_.batch; ++image) sum += loss_of(image);
    return sum / double(network_.batch);
  }

 private:
  bool has_attention() const { return network_.mixing == PatchMixing::attention; }

  Matrix patches_of(std::int64_t image) const {
    const std::int64_t size = network_.image_size, patch = network_.patch, side = size / patch;
    Matrix pixels(side * side, patch * patch * 3);
    for (std::int64_t row = 0; row < size; ++row) {
      for (std::int64_t column = 0; column < size; ++column) {
        for (std::int64_t colour = 0; colour < 3; ++colour) {
          const std::int64_t inside = ((row % patch) * patch + column % patch) * 3 + colour;
          pixels(row / patch * side + column / patch, inside) =
              tensor("images")[std::size_t(((image * size + row) * size + column) * 3 + colour)];
        }
      }
    }
    return plus_bias(times(pixels, "embed/w", network_.model), "embed/b", true);
  }

  Matrix embedded_image(std::int64_t image) const {
    const Matrix patches = patches_of(image);
    if (!has_attention()) return patches;
    Matrix x(patches.rows + 1, patches.columns);
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) {
        x(i, j) = i == 0 ? tensor("class_token")[std::size_t(j)] : patches(i - 1, j);
        x(i, j) += tensor("position_embedding")[std::size_t(i * x.columns + j)];
      }
    }
    return x;
  }

  static Matrix turned(const Matrix& x) {
    Matrix y(x.columns, x.rows);
    for (std::int64_t i = 0; i < x.rows; ++i) {
      for (std::int64_t j = 0; j < x.columns; ++j) y(j, i) = x(i, j);
    }
    return y;
  }

  Matrix mixed(const Matrix& x, const std::string& scope) const {
    Matrix hidden = plus_bias(times(turned(x), scope + "/w_in", network_.hidden_patches), scope + "/b_in", true);
    for (double& value : hidden.values) value = bent(value);
    return turned(plus_bias(times(hidden, scope + "/w_out", x.rows), scope + "/b_out", true));
  }

  double loss_of(std::int64_t image) const {
    Matrix x = embedded_image(image);
    for (std::int64_t i = 0; i < network_.layers; ++i) {
      const std::string layer = "layer" + std::to_string(i);
      if (has_attention()) {
        const Matrix y = norm(x, layer + "/attention/norm");
        x = sum(x, attended(y, y, layer + "/attention", all));
      } else {
        x = sum(x, mixed(norm(x, layer + "/patches/norm"), layer + "/patches"));
      }
      x = sum(x, feed_forward(norm(x, layer + "/ffn/norm"), layer + "/ffn"));
    }
    x = norm(x, "final_norm");
    Matrix read(1, x.columns);
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < (has_attention() ? 1 : x.rows); ++i) read(0, j) += x(i, j);
      if (!has_attention()) read(0, j) /= double(x.rows);
    }
    const Matrix logits = plus_bias(times(read, "head/w", network_.classes), "head/b", true);
    double total = 0;
    for (const double logit : logits.values) total += std::exp(logit);
    return std::log(total) - logits(0, std::int64_t(tensor("labels")[std::size_t(image)]));
  }

  const PatchNetworkOptions& network_;
};

std::vector<hlo::Literal> patch_arguments(const hlo::Module& module, const PatchNetworkOptions& options) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  unsigned seed = 1;
  for (const hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    double low = -0.7, high = 0.7;
    if (parameter.name == "labels") low = 0, high = double(options.classes);
    if (parameter.name.ends_with("scale")) low = 0.8, high = 1.2;
    if (parameter.name.ends_with("momentum")) low = high = 0;
    arguments.push_back(hlo::testing::random_literal(parameter.shape, seed++, low, high));
    if (parameter.name != "labels") continue;
    for (double& value : arguments.back().values) value = std::floor(value);
  }
  return arguments;
}

class PatchNetworks : public ::testing::TestWithParam<PatchMixing> {};

TEST_P(PatchNetworks, HaveTheLossOfTheFormulas) {
  const PatchNetworkOptions options = tiny_network(GetParam());
  const hlo::Module module = patch_forward(options);
  hlo::build::verify(module);
  const std::vector<hlo::Literal> arguments = patch_arguments(module, options);
  const auto tensors = testing::by_name(module, arguments);
  const double expected = ReferencePatchNetwork(options, patch_blocks(options), tensors).loss();
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-12 * expected);
}

TEST_P(PatchNetworks, HaveTheSlopesOfThatLoss) {
  const PatchNetworkOptions options = tiny_network(GetParam());
  const TransformerOptions blocks = patch_blocks(options);
  const TrainingStep step = patch_training_step(options);
  testing::expect_slopes(step, patch_arguments(step.module, options),
                         [&](const auto& tensors) { return ReferencePatchNetwork(options, blocks, tensors).loss(); });
}

TEST_P(PatchNetworks, ProductsTakeTheFlopsOfTheClosedForm) {
  const PatchNetworkOptions options = tiny_network(GetParam());
  const hlo::Module module = patch_training_step(options).module;
  const hlo::Computation& entry = module.entry_computation();
  double flops = 0;
  for (hlo::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    if (entry[id].opcode != hlo::Opcode::dot && entry[id].opcode != hlo::Opcode::convolution) continue;
    flops += double(hlo::transform::cost(module, entry, id).flops);
  }
  EXPECT_DOUBLE_EQ(flops, patch_flops(options));
}

INSTANTIATE_TEST_SUITE_P(, PatchNetworks, ::testing::Values(PatchMixing::attention, PatchMixing::perceptron),
                         [](const ::testing::TestParamInfo<PatchMixing>& info) {
                           return info.param == PatchMixing::attention ? "attention" : "perceptron";
                         });

std::int64_t elements_of_tensors(const PatchNetworkOptions& options) {
  const TrainingStep step = patch_training_step(options);
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (const hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    const std::string& name = parameter.name;
    const bool is_slot = name.ends_with("_moment"), is_input = name == "images" || name == "labels";
    if (!is_slot && !is_input && name != "learning_rate" && name != "step") count += parameter.shape.element_count();
  }
  return count;
}

// 86,567,656: ViT-B/16 at 224 pixels with 1000 classes, as its published checkpoints. 17.6e9 multiplications and
// additions of an image (Touvron et al. 2021, DeiT-B).
TEST(PatchNetworkSize, OfTheVisionTransformerIsThePublishedOne) {
  PatchNetworkOptions options;
  options.batch = 1;
  EXPECT_EQ(patch_parameter_count(options), 86'567'656);
  EXPECT_EQ(elements_of_tensors(options), 86'567'656);
  EXPECT_NEAR(patch_flops(options) / 6, 17.6e9, 0.01 * 17.6e9);
}

// 59 million parameters (Tolstikhin et al. 2021, Table 1); 59,880,472 in the published checkpoint.
TEST(PatchNetworkSize, OfMixerIsThePublishedOne) {
  PatchNetworkOptions options;
  options.batch = 1;
  options.mixing = PatchMixing::perceptron;
  EXPECT_EQ(patch_parameter_count(options), 59'880'472);
  EXPECT_EQ(elements_of_tensors(options), 59'880'472);
}

}  // namespace
}  // namespace podsim::workloads::models
