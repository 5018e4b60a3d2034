// SPDX-License-Identifier: Apache-2.0
#include "workloads/pipelines/vectorised_pipeline.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/eval/evaluator.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "sw/driver/compile.h"
#include "tests/hlo/literals.h"
#include "tests/sw/target_machines.h"
#include "tests/workloads/on_partitions.h"
#include "tests/workloads/whole_mlp.h"

namespace podsim::workloads::pipelines {
namespace {

using hlo::InstructionId;
using hlo::Literal;
using hlo::build::GraphBuilder;
using testing::exact;

/// The arguments of the network without a pipeline.
std::vector<hlo::Literal> arguments_of(const hlo::Module& module) {
  std::vector<hlo::Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(hlo::testing::random_literal(module.entry_computation()[id].shape, unsigned(arguments.size())));
  }
  return arguments;
}

/// Layer i of every stage in one array: layers of the whole network i, i + layers, i + 2 layers, ...
hlo::Literal stacked(const PipelinedMlpOptions& o, std::span<const hlo::Literal> kernels, std::int64_t i) {
  hlo::Literal result = hlo::make_zeros(hlo::make_shape(hlo::ElementType::f64, {o.stages, o.width, o.width}));
  result.values.clear();
  for (std::int64_t stage = 0; stage < o.stages; ++stage) {
    const auto& values = kernels[std::size_t(stage * (o.layers / o.stages) + i)].values;
    result.values.insert(result.values.end(), values.begin(), values.end());
  }
  return result;
}

hlo::Literal batch(const PipelinedMlpOptions& o, const hlo::Literal& rows) {
  hlo::Literal result = rows;
  result.shape = hlo::make_shape(hlo::ElementType::f64, {o.microbatches, o.pipelines * o.microbatch, o.width});
  return result;
}

TEST(VectorisedPipeline, ItsLoopComputesTheNetwork) {
  const PipelinedMlpOptions o = testing::exact(3, 4, 6);
  const hlo::Module module = vectorised_pipeline_forward(o);
  hlo::build::verify(module);
  hlo::build::GraphBuilder b("whole");
  std::vector<InstructionId> kernels;
  for (std::int64_t i = 0; i < o.layers; ++i) {
    kernels.push_back(b.parameter(hlo::make_shape(hlo::ElementType::f64, {o.width, o.width}), fmt::format("k{}", i)));
  }
  InstructionId x =
      b.parameter(hlo::make_shape(hlo::ElementType::f64, {o.microbatches * o.microbatch, o.width}), "inputs");
  for (InstructionId kernel : kernels) {
    const InstructionId y = b.dot(x, kernel, {{}, {}, {1}, {0}});
    x = b.maximum(y, b.full_like(y, 0));
  }
  const hlo::Module whole = std::move(b).build(x);
  const std::vector<hlo::Literal> arguments = arguments_of(whole);
  std::vector<hlo::Literal> pipelined;
  for (std::int64_t i = 0; i < o.layers / o.stages; ++i) pipelined.push_back(stacked(o, arguments, i));
  pipelined.push_back(batch(o, arguments.back()));
  const hlo::Literal expected = hlo::eval::evaluate(whole, arguments), actual = hlo::eval::evaluate(module, pipelined);
  ASSERT_EQ(actual.values.size(), expected.values.size());
  for (std::size_t i = 0; i < expected.values.size(); ++i) EXPECT_EQ(actual.values[i], expected.values[i]) << i;
}

TEST(VectorisedPipeline, ItsLoopMakesATripForEveryTick) {
  const sw::compiler::Program program =
      sw::driver::compile(vectorised_pipeline_forward(testing::exact(3, 4, 6)), sw::tpu_v3()).program;
  ASSERT_EQ(program.loops.size(), 1U);
  EXPECT_EQ(program.loops[0].trips, 4 + 3 - 1);
  EXPECT_TRUE(program.warnings.empty());
}

TEST(VectorisedPipeline, OneStepIsThatOfTheNetworkWithoutAPipeline) {
  PipelinedMlpOptions o = testing::exact(3, 4, 6);
  o.pipelines = 2;
  const hlo::Module whole = testing::whole_step(o);
  const TrainingStep step = vectorised_pipeline_step(o);
  hlo::build::verify(step.module);
  const std::vector<hlo::Literal> arguments = arguments_of(whole);
  const std::size_t layers = std::size_t(o.layers);
  std::vector<hlo::Literal> pipelined;
  const auto push_stacked = [&](std::size_t first) {
    for (std::int64_t i = 0; i < o.layers / o.stages; ++i) {
      pipelined.push_back(stacked(o, std::span(arguments).subspan(first, layers), i));
    }
  };
  push_stacked(0);
  for (std::size_t i : {2 * layers + 1, 2 * layers + 2}) pipelined.push_back(batch(o, arguments[i]));
  push_stacked(layers);
  pipelined.push_back(arguments[2 * layers]);
  const hlo::Literal expected = hlo::eval::evaluate(whole, arguments),
                     actual = hlo::eval::evaluate(step.module, pipelined);
  const std::size_t own = std::size_t(o.layers / o.stages);
  for (std::size_t first : {std::size_t(0), std::size_t(1)}) {
    const auto replaced = std::span(expected.elements).subspan(first * layers, layers);
    for (std::size_t i = 0; i < own; ++i) {
      hlo::testing::expect_near(actual.elements[first * own + i], stacked(o, replaced, std::int64_t(i)), 1e-12, 1e-13);
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
    const hlo::spmd::mesh::ShardingFile file =
        hlo::spmd::mesh::read_sharding_file("pipeline.toml", vectorised_pipeline_sharding(o));
    for (hlo::Module module : {vectorised_pipeline_forward(o), vectorised_pipeline_step(o).module}) {
      const std::vector<hlo::Literal> arguments = arguments_of(module);
      const hlo::Literal expected = hlo::eval::evaluate(module, arguments);
      const bool forward = !expected.shape.is_tuple();
      hlo::spmd::mesh::ShardingFile rules = file;
      if (forward)
        std::erase_if(rules.rules,
                      [](const auto& rule) { return rule.pattern != "layer*/kernel" && rule.pattern != "inputs"; });
      const hlo::spmd::mesh::Mesh& mesh = *file.mesh;
      hlo::spmd::mesh::annotate(module, mesh, rules);
      const std::vector<hlo::Literal> actual = testing::on_partitions(module, mesh, arguments);
      const std::vector<hlo::Literal> whole = forward ? std::vector{expected} : expected.elements;
      for (std::size_t i = 0; i < whole.size(); ++i) hlo::testing::expect_near(actual[i], whole[i], 1e-12, 1e-13);
      const std::string text =
          hlo::to_string(hlo::spmd::partition::partition(module, mesh, hlo::spmd::propagate::propagate(module, mesh)));
      EXPECT_NE(text.find("collective-permute"), std::string::npos);
    }
  }
}

TEST(VectorisedPipeline, StagesOfDifferentLengthsAreRefused) {
  EXPECT_THROW(vectorised_pipeline_step(testing::exact(4, 2, 6)), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::pipelines
