// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/transform/rematerialize.h"
#include "sw/compiler/memory_account.h"
#include "sw/driver/compile.h"
#include "tests/hlo/literals.h"
#include "tests/sw/target_machines.h"
#include "workloads/models/transformer.h"

namespace podsim::workloads {
namespace {

using hlo::Literal;
using hlo::transform::Rematerialisation;

models::TransformerOptions decoder(std::int64_t layers, std::int64_t batch, std::int64_t sequence, std::int64_t model) {
  models::TransformerOptions options;
  options.layers = layers;
  options.batch = batch;
  options.sequence = sequence;
  options.vocabulary = 16;
  options.model = model;
  options.attention = {2, model / 2};
  options.feed_forward = {4 * model, layers::Activation::gelu, false};
  options.optimizer.kind = OptimizerKind::sgd_momentum;
  return options;
}

TEST(RematerialisedTransformer, TrainsToTheSameBits) {
  const hlo::Module module = models::transformer_training_step(decoder(3, 2, 4, 8)).module;
  std::vector<hlo::Literal> arguments;
  for (hlo::InstructionId id : module.entry_computation().parameters) {
    const hlo::Shape& shape = module.entry_computation()[id].shape;
    const bool tokens = shape.element_type == hlo::ElementType::s32;
    arguments.push_back(
        hlo::testing::random_literal(shape, unsigned(arguments.size()), tokens ? 0 : 0.1, tokens ? 15 : 1));
  }
  const hlo::Literal expected = hlo::eval::evaluate(module, arguments);
  for (const auto policy : {hlo::transform::Rematerialisation::dots, hlo::transform::Rematerialisation::layer}) {
    const hlo::transform::RematerialisedModule again = hlo::transform::rematerialise(module, policy);
    EXPECT_GT(again.instructions, 0);
    const hlo::Literal actual = hlo::eval::evaluate(again.module, arguments);
    for (std::size_t i = 0; i < expected.elements.size(); ++i) {
      EXPECT_TRUE(hlo::same_values(actual.elements[i], expected.elements[i]))
          << hlo::transform::to_string(policy) << " " << i;
    }
  }
}

// The backward part of a layer recomputes the two dots that make the scores and their operands, the projections, and
// the first dot of the feed-forward block. It does not need the second one, nor the last projection of attention, as
// their results go into the residual stream. Multiply-accumulates per token: 3 M^2 + 2 S M (scores and their product
// with values, which the last projection's gradient needs) + 4 M^2.
TEST(RematerialisedTransformer, ComputesALayersForwardPartOnceMore) {
  const std::int64_t layers = 4, batch = 2, sequence = 64, model = 128;
  const models::TransformerOptions options = decoder(layers, batch, sequence, model);
  const hlo::Module module = models::transformer_training_step(options).module;
  const double tokens = double(batch * sequence), m = double(model);
  const double forward = 2 * tokens * double(layers) * (7 * m * m + 2 * double(sequence) * m + m * m);
  const double again = hlo::transform::rematerialise(module, hlo::transform::Rematerialisation::layer).flops;
  EXPECT_LE(again, 1.1 * forward) << "elementwise work is a few per cent";
  EXPECT_GE(again, 2 * tokens * double(layers) * (7 * m * m + 2 * double(sequence) * m));
}

/// The program of one of two cores that share the batch.
hlo::Module of_two_cores(hlo::Module module) {
  const hlo::spmd::mesh::Mesh mesh({{"x", 2}});
  hlo::spmd::mesh::annotate(
      module, mesh,
      hlo::spmd::mesh::read_sharding_file("test", "[sharding]\n\"tokens\" = [\"x\"]\n\"targets\" = [\"x\"]\n"));
  return hlo::spmd::partition::partition(module, mesh, hlo::spmd::propagate::propagate(module, mesh));
}

// On one core a weight's gradient is computed in its update. Between cores it is summed first, so the values that it is
// computed from need not be kept.
TEST(RematerialisedTransformer, KeepsOneLayersValuesInsteadOfAll) {
  const std::int64_t layers = 8, batch = 8, sequence = 512, model = 256;
  const hlo::Module module = models::transformer_training_step(decoder(layers, 2 * batch, sequence, model)).module;
  sw::TargetMachine machine = sw::tpu_v3();
  machine.passes.combine_all_reduce = base::Bytes(0);  // no sums are combined, so none is delayed
  const auto peak = [&](hlo::transform::Rematerialisation policy) {
    const hlo::Module local = of_two_cores(hlo::transform::rematerialise(module, policy).module);
    const hlo::Module fused = sw::driver::compile(local, machine).module;
    return sw::compiler::account_memory(fused, fused.donations).peak.value();
  };
  const std::int64_t kept = peak(hlo::transform::Rematerialisation::none),
                     dots = peak(hlo::transform::Rematerialisation::dots),
                     layer = peak(hlo::transform::Rematerialisation::layer);
  // At the least the hidden values of the feed-forward blocks, in bf16.
  const std::int64_t hidden = batch * sequence * 4 * model * 2;
  EXPECT_LE(layer, kept - (layers - 2) * hidden);
  EXPECT_LT(layer, dots);
  EXPECT_LE(dots, kept);
}

}  // namespace
}  // namespace podsim::workloads
