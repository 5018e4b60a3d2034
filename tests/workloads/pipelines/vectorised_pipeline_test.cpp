// SPDX-License-Identifier: Apache-2.0
#include "workloads/pipelines/vectorised_pipeline.h"
#include "sw/ir/build/verify.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "sw/driver/compile.h"
#include "sw/ir/eval/evaluator.h"
#include "sw/spmd/mesh/sharding_file.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/ir/literals.h"
#include "tests/workloads/on_partitions.h"
#include "tests/workloads/whole_mlp.h"

namespace podsim::workloads::pipelines {
namespace {

using sw::ir::InstructionId;
using sw::ir::Literal;
using sw::ir::build::GraphBuilder;
using testing::exact;

/// The arguments of the network without a pipeline.
std::vector<sw::ir::Literal> arguments_of(const sw::ir::Module& module) {
  std::vector<sw::ir::Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(
        sw::ir::testing::random_literal(module.entry_computation()[id].shape, unsigned(arguments.size())));
  }
  return arguments;
}

/// Layer i of every stage in one array: layers of the whole network i, i + layers, i + 2 layers, ...
sw::ir::Literal stacked(const PipelinedMlpOptions& o, std::span<const sw::ir::Literal> kernels, std::int64_t i) {
  sw::ir::Literal result =
      sw::ir::make_zeros(sw::ir::make_shape(sw::ir::ElementType::f64, {o.stages, o.width, o.width}));
  result.values.clear();
  for (std::int64_t stage = 0; stage < o.stages; ++stage) {
    const auto& values = kernels[std::size_t(stage * (o.layers / o.stages) + i)].values;
    result.values.insert(result.values.end(), values.begin(), values.end());
  }
  return result;
}

sw::ir::Literal batch(const PipelinedMlpOptions& o, const sw::ir::Literal& rows) {
  sw::ir::Literal result = rows;
  result.shape = sw::ir::make_shape(sw::ir::ElementType::f64, {o.microbatches, o.pipelines * o.microbatch, o.width});
  return result;
}

TEST(VectorisedPipeline, ItsLoopComputesTheNetwork) {
  const PipelinedMlpOptions o = testing::exact(3, 4, 6);
  const sw::ir::Module module = vectorised_pipeline_forward(o);
  sw::ir::build::verify(module);
  sw::ir::build::GraphBuilder b("whole");
  std::vector<InstructionId> kernels;
  for (std::int64_t i = 0; i < o.layers; ++i) {
    kernels.push_back(
        b.parameter(sw::ir::make_shape(sw::ir::ElementType::f64, {o.width, o.width}), fmt::format("k{}", i)));
  }
  InstructionId x =
      b.parameter(sw::ir::make_shape(sw::ir::ElementType::f64, {o.microbatches * o.microbatch, o.width}), "inputs");
  for (InstructionId kernel : kernels) {
    const InstructionId y = b.dot(x, kernel, {{}, {}, {1}, {0}});
    x = b.maximum(y, b.full_like(y, 0));
  }
  const sw::ir::Module whole = std::move(b).build(x);
  const std::vector<sw::ir::Literal> arguments = arguments_of(whole);
  std::vector<sw::ir::Literal> pipelined;
  for (std::int64_t i = 0; i < o.layers / o.stages; ++i) pipelined.push_back(stacked(o, arguments, i));
  pipelined.push_back(batch(o, arguments.back()));
  const sw::ir::Literal expected = sw::ir::eval::evaluate(whole, arguments),
                        actual = sw::ir::eval::evaluate(module, pipelined);
  ASSERT_EQ(actual.values.size(), expected.values.size());
  for (std::size_t i = 0; i < expected.values.size(); ++i) EXPECT_EQ(actual.values[i], expected.values[i]) << i;
}

TEST(VectorisedPipeline, ItsLoopMakesATripForEveryTick) {
  const sw::compiler::Program program =
      sw::driver::compile(vectorised_pipeline_forward(testing::exact(3, 4, 6)), hw::tpu_v3()).program;
  ASSERT_EQ(program.loops.size(), 1U);
  EXPECT_EQ(program.loops[0].trips, 4 + 3 - 1);
  EXPECT_TRUE(program.warnings.empty());
}

TEST(VectorisedPipeline, OneStepIsThatOfTheNetworkWithoutAPipeline) {
  PipelinedMlpOptions o = testing::exact(3, 4, 6);
  o.pipelines = 2;
  const sw::ir::Module whole = testing::whole_step(o);
  const TrainingStep step = vectorised_pipeline_step(o);
  sw::ir::build::verify(step.module);
  const std::vector<sw::ir::Literal> arguments = arguments_of(whole);
  const std::size_t layers = std::size_t(o.layers);
  std::vector<sw::ir::Literal> pipelined;
  const auto push_stacked = [&](std::size_t first) {
    for (std::int64_t i = 0; i < o.layers / o.stages; ++i) {
      pipelined.push_back(stacked(o, std::span(arguments).subspan(first, layers), i));
    }
  };
  push_stacked(0);
  for (std::size_t i : {2 * layers + 1, 2 * layers + 2}) pipelined.push_back(batch(o, arguments[i]));
  push_stacked(layers);
  pipelined.push_back(arguments[2 * layers]);
  const sw::ir::Literal expected = sw::ir::eval::evaluate(whole, arguments),
                        actual = sw::ir::eval::evaluate(step.module, pipelined);
  const std::size_t own = std::size_t(o.layers / o.stages);
  for (std::size_t first : {std::size_t(0), std::size_t(1)}) {
    const auto replaced = std::span(expected.elements).subspan(first * layers, layers);
    for (std::size_t i = 0; i < own; ++i) {
      sw::ir::testing::expect_near(actual.elements[first * own + i], stacked(o, replaced, std::int64_t(i)), 1e-12,
                                   1e-13);
    }
  }
  EXPECT_NEAR(actual.elements.back().values[0], expected.elements.back().values[0], 1e-12);
}

// Sharded along the stages, and along the samples if there are several pipelines: the shift of the state is a
// collective-permute from stage to stage, and no array goes around whole.
TEST(VectorisedPipeline, OnPartitionsItComputesTheSameAndPermutes) {
  for (const std::int64_t pipelines : {1, 2}) {
    PipelinedMlpOptions o = testing::exact(4, 3, 8);
    o.pipelines = pipelines;
    const sw::spmd::mesh::ShardingFile file =
        sw::spmd::mesh::read_sharding_file("pipeline.toml", vectorised_pipeline_sharding(o));
    for (sw::ir::Module module : {vectorised_pipeline_forward(o), vectorised_pipeline_step(o).module}) {
      const std::vector<sw::ir::Literal> arguments = arguments_of(module);
      const sw::ir::Literal expected = sw::ir::eval::evaluate(module, arguments);
      const bool forward = !expected.shape.is_tuple();
      sw::spmd::mesh::ShardingFile rules = file;
      if (forward)
        std::erase_if(rules.rules,
                      [](const auto& rule) { return rule.pattern != "layer*/kernel" && rule.pattern != "inputs"; });
      const sw::spmd::mesh::Mesh& mesh = *file.mesh;
      sw::spmd::mesh::annotate(module, mesh, rules);
      const std::vector<sw::ir::Literal> actual = testing::on_partitions(module, mesh, arguments);
      const std::vector<sw::ir::Literal> whole = forward ? std::vector{expected} : expected.elements;
      for (std::size_t i = 0; i < whole.size(); ++i) sw::ir::testing::expect_near(actual[i], whole[i], 1e-12, 1e-13);
      const std::string text =
          sw::ir::to_string(sw::spmd::partition::partition(module, mesh, sw::spmd::propagate::propagate(module, mesh)));
      EXPECT_NE(text.find("collective-permute"), std::string::npos);
    }
  }
}

TEST(VectorisedPipeline, StagesOfDifferentLengthsAreRefused) {
  EXPECT_THROW(vectorised_pipeline_step(testing::exact(4, 2, 6)), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::pipelines
