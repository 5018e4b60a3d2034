// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sw/compiler/compile.h"
#include "sw/graph/evaluator.h"
#include "sw/graph/rematerialize.h"
#include "sw/memory_account.h"
#include "sw/spmd/partitioner.h"
#include "sw/spmd/sharding_file.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/graph/literals.h"
#include "workloads/transformer.h"

namespace podsim::workloads {
namespace {

using sw::Literal;
using sw::Rematerialisation;

TransformerOptions decoder(std::int64_t layers, std::int64_t batch, std::int64_t sequence, std::int64_t model) {
  TransformerOptions options;
  options.layers = layers;
  options.batch = batch;
  options.sequence = sequence;
  options.vocabulary = 16;
  options.model = model;
  options.attention = {2, model / 2};
  options.feed_forward = {4 * model, Activation::gelu, false};
  options.optimizer.kind = OptimizerKind::sgd_momentum;
  return options;
}

TEST(RematerialisedTransformer, TrainsToTheSameBits) {
  const sw::Module module = transformer_training_step(decoder(3, 2, 4, 8)).module;
  std::vector<Literal> arguments;
  for (sw::InstructionId id : module.entry_computation().parameters) {
    const sw::Shape& shape = module.entry_computation()[id].shape;
    const bool tokens = shape.element_type == sw::ElementType::s32;
    arguments.push_back(
        sw::testing::random_literal(shape, unsigned(arguments.size()), tokens ? 0 : 0.1, tokens ? 15 : 1));
  }
  const Literal expected = sw::evaluate(module, arguments);
  for (const auto policy : {Rematerialisation::dots, Rematerialisation::layer}) {
    const sw::RematerialisedModule again = sw::rematerialise(module, policy);
    EXPECT_GT(again.instructions, 0);
    const Literal actual = sw::evaluate(again.module, arguments);
    for (std::size_t i = 0; i < expected.elements.size(); ++i) {
      EXPECT_TRUE(same_values(actual.elements[i], expected.elements[i])) << to_string(policy) << " " << i;
    }
  }
}

// Of a layer its backward part needs both dots that make the scores and what they read, the projections, and the first
// dot of the feed-forward block once more; not the second one, nor the last projection of attention, whose results go
// into the residual stream. By multiply-accumulates per token: 3 M^2 + 2 S M (scores and their product with values: the
// latter goes into the last projection's gradient) + 4 M^2.
TEST(RematerialisedTransformer, ComputesALayersForwardPartOnceMore) {
  const std::int64_t layers = 4, batch = 2, sequence = 64, model = 128;
  const TransformerOptions options = decoder(layers, batch, sequence, model);
  const sw::Module module = transformer_training_step(options).module;
  const double tokens = double(batch * sequence), m = double(model);
  const double forward = 2 * tokens * double(layers) * (7 * m * m + 2 * double(sequence) * m + m * m);
  const double again = sw::rematerialise(module, Rematerialisation::layer).flops;
  EXPECT_LE(again, 1.1 * forward) << "elementwise work is a few per cent";
  EXPECT_GE(again, 2 * tokens * double(layers) * (7 * m * m + 2 * double(sequence) * m));
}

/// One core's program of two that share the batch.
sw::Module of_two_cores(sw::Module module) {
  const sw::Mesh mesh({{"x", 2}});
  sw::annotate(module, mesh,
               sw::read_sharding_file("test", "[sharding]\n\"tokens\" = [\"x\"]\n\"targets\" = [\"x\"]\n"));
  return sw::partition(module, mesh, sw::propagate(module, mesh));
}

// On one core a weight's gradient is computed with its update, where the update stands; between cores it is added up
// first, and what it is computed from need not be kept.
TEST(RematerialisedTransformer, KeepsOneLayersValuesInsteadOfAll) {
  const std::int64_t layers = 8, batch = 8, sequence = 512, model = 256;
  const sw::Module module = transformer_training_step(decoder(layers, 2 * batch, sequence, model)).module;
  hw::Machine machine = hw::tpu_v3();
  machine.compiler.combine_all_reduce = base::Bytes(0);  // sums are taken where they stand
  const auto peak = [&](Rematerialisation policy) {
    const sw::Module local = of_two_cores(sw::rematerialise(module, policy).module);
    const sw::Module fused = sw::compile(local, machine).fused;
    return sw::account_memory(fused, fused.donations).peak.value();
  };
  const std::int64_t kept = peak(Rematerialisation::none), dots = peak(Rematerialisation::dots),
                     layer = peak(Rematerialisation::layer);
  // At the least the hidden values of the feed-forward blocks, in bf16.
  const std::int64_t hidden = batch * sequence * 4 * model * 2;
  EXPECT_LE(layer, kept - (layers - 2) * hidden);
  EXPECT_LT(layer, dots);
  EXPECT_LE(dots, kept);
}

}  // namespace
}  // namespace podsim::workloads
