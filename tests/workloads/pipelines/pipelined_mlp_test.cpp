// SPDX-License-Identifier: Apache-2.0
#include "workloads/pipelines/pipelined_mlp.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "hlo/eval/evaluator.h"
#include "sw/driver/compile.h"
#include "tests/hlo/literals.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"
#include "tests/workloads/whole_mlp.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

namespace podsim::workloads::pipelines {
namespace {

using hlo::InstructionId;
using hlo::Literal;
using testing::exact;
using testing::whole_step;

/// Rows [first, first + count) of an array.
hlo::Literal rows_of(const hlo::Literal& whole, std::int64_t first, std::int64_t count,
                     std::vector<std::int64_t> sizes) {
  const std::int64_t row = whole.shape.element_count() / whole.shape.dimensions[0];
  hlo::Literal part{hlo::make_shape(whole.shape.element_type, std::move(sizes)), {}, {}};
  part.values.assign(whole.values.begin() + first * row, whole.values.begin() + (first + count) * row);
  return part;
}

/// Compares a step on virtual partitions with the whole network's.
void expect_same_step(const PipelinedMlpOptions& o) {
  std::vector<hlo::Literal> whole;
  const hlo::Module reference = testing::whole_step(o);
  for (InstructionId id : reference.entry_computation().parameters) {
    whole.push_back(hlo::testing::random_literal(reference.entry_computation()[id].shape, unsigned(whole.size())));
  }
  const std::size_t layers = std::size_t(o.layers);
  const hlo::Literal expected = hlo::eval::evaluate(reference, whole);

  const TrainingStep step = pipelined_mlp_step(o);
  hlo::build::verify(step.module);
  const hlo::Literal zero = hlo::make_zeros(whole[0].shape);
  const std::int64_t most = layers_of_stage(o, 0), rows = o.microbatches * o.microbatch;
  std::vector<std::vector<hlo::Literal>> arguments;
  for (std::int64_t partition = 0; partition < o.stages * o.pipelines; ++partition) {
    std::int64_t first = 0;
    for (std::int64_t s = 0; s < partition % o.stages; ++s) first += layers_of_stage(o, s);
    const std::int64_t count = layers_of_stage(o, partition % o.stages);
    std::vector<hlo::Literal>& own = arguments.emplace_back();
    for (std::size_t offset : {std::size_t(0), layers}) {
      for (std::int64_t i = 0; i < most; ++i) own.push_back(i < count ? whole[offset + std::size_t(first + i)] : zero);
    }
    own.push_back(whole[2 * layers]);
    for (std::size_t i : {2 * layers + 1, 2 * layers + 2}) {
      own.push_back(rows_of(whole[i], partition / o.stages * rows, rows, {o.microbatches, o.microbatch, o.width}));
    }
  }
  const std::vector<hlo::Literal> results = hlo::eval::evaluate_partitions(step.module, arguments);
  double loss = 0;
  for (std::int64_t partition = 0; partition < o.stages * o.pipelines; ++partition) {
    std::int64_t first = 0;
    for (std::int64_t s = 0; s < partition % o.stages; ++s) first += layers_of_stage(o, s);
    const std::vector<hlo::Literal>& own = results[std::size_t(partition)].elements;
    for (std::int64_t i = 0; i < layers_of_stage(o, partition % o.stages); ++i) {
      hlo::testing::expect_near(own[std::size_t(i)], expected.elements[std::size_t(first + i)], 1e-12, 1e-13);
      hlo::testing::expect_near(own[std::size_t(most + i)], expected.elements[layers + std::size_t(first + i)], 1e-12,
                                1e-13);
    }
    loss += own.back().values[0];
  }
  EXPECT_NEAR(loss / double(o.pipelines), expected.elements.back().values[0], 1e-12);
}

TEST(PipelinedMlp, OneStepIsThatOfTheNetworkWithoutAPipeline) { expect_same_step(testing::exact(4, 3, 8)); }

TEST(PipelinedMlp, StagesOfDifferentLengthsAndPipelinesSideBySideTrainTheSame) {
  PipelinedMlpOptions options = testing::exact(3, 2, 5);
  options.pipelines = 2;
  expect_same_step(options);
}

TEST(PipelinedMlp, KeepingActivationsInsteadOfRecomputingThemTrainsTheSame) {
  PipelinedMlpOptions options = testing::exact(3, 4, 7);
  options.rematerialise = false;
  expect_same_step(options);
}

TEST(PipelinedMlp, OneStageIsTheNetworkInMicrobatches) { expect_same_step(testing::exact(1, 3, 2)); }

TEST(PipelinedMlp, LayersFewerThanStagesAreRefused) {
  EXPECT_THROW(pipelined_mlp_step(testing::exact(4, 2, 3)), base::InputError);
}

/// Stages so long that transfers and the update take little time in comparison.
PipelinedMlpOptions wide(std::int64_t stages, std::int64_t microbatches, std::int64_t layers) {
  PipelinedMlpOptions options;
  options.stages = stages;
  options.microbatches = microbatches;
  options.layers = layers;
  options.microbatch = 2048;
  options.width = 8192;
  return options;
}

sw::runtime::RunResult simulated(const PipelinedMlpOptions& options, const noc::Topology& slice) {
  const sw::driver::Step compiled = sw::driver::compile(pipelined_mlp_step(options).module, sw::tpu_v3());
  EXPECT_TRUE(compiled.program.warnings.empty());
  sw::runtime::testing::RunOptions simulation;
  simulation.steps = 2;
  return sw::runtime::testing::run(compiled.program, sw::tpu_v3(), slice, simulation);
}

TEST(PipelinedMlp, EqualStagesAreIdleForTheBubblesShareOfTheStep) {
  for (const std::int64_t microbatches : {8, 16}) {
    const sw::runtime::RunResult result = simulated(wide(4, microbatches, 32), noc::Topology({2}, {false}));
    ASSERT_EQ(result.stages.size(), 4U);
    for (const sw::runtime::StageResult& stage : result.stages) {
      EXPECT_NEAR(stage.idle(), bubble_share(4, microbatches), 0.01) << stage.first_core;
    }
  }
}

/// The weight update's share of a step; all stages update at the same time.
double update_share(const sw::runtime::RunResult& result, const sw::compiler::Program& program) {
  base::Time update;
  for (const sw::runtime::ItemResult& item : result.items) {
    if (program.items[std::size_t(item.item)].op_name.starts_with("optimizer/")) update += item.total();
  }
  return double(update.value()) / double(result.step_time.value());
}

// A transfer of 2 MiB takes a tenth of the compute time of a stage for a micro-batch, and is concurrent with it.
TEST(PipelinedMlp, ShortStagesWaitForTheBubbleAndForLittleElse) {
  PipelinedMlpOptions options;
  options.stages = 8;
  options.microbatches = 32;
  const sw::driver::Step compiled = sw::driver::compile(pipelined_mlp_step(options).module, sw::tpu_v3());
  sw::runtime::testing::RunOptions simulation;
  simulation.steps = 2;
  const sw::runtime::RunResult result =
      sw::runtime::testing::run(compiled.program, sw::tpu_v3(), noc::Topology({2, 2}, {false, false}), simulation);
  ASSERT_EQ(result.stages.size(), 8U);
  const double pipeline = 1 - update_share(result, compiled.program);
  EXPECT_LT(pipeline, 0.99);
  for (const sw::runtime::StageResult& stage : result.stages) {
    const auto share = [&](base::Time time) { return double(time.value()) / double(stage.step.value()) / pipeline; };
    EXPECT_NEAR(share(stage.waiting()), bubble_share(8, 32), 0.01) << stage.first_core;
    EXPECT_LT(share(stage.transfer), 0.02) << stage.first_core;
    EXPECT_NEAR(stage.idle() / pipeline, share(stage.waiting() + stage.transfer), 1e-9) << stage.first_core;
  }
}

// 18 layers on 4 stages: 5, 5, 4, 4. On the way forward the first stage is busy for 5 M, then the last micro-batch
// passes the others in 5 + 4 + 4; on the way back two stages of 4 go before 5 M of the second one and 5 of the first.
TEST(PipelinedMlp, TheLongestStagesHoldTheOthersUp) {
  const double m = 8, way = 5 * m + 13;
  const sw::runtime::RunResult result = simulated(wide(4, 8, 18), noc::Topology({2}, {false}));
  ASSERT_EQ(result.stages.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(result.stages[i].idle(), 1 - (i < 2 ? 5 : 4) * m / way, 0.02) << i;
  }
}

TEST(PipelinedMlp, TheWorkloadMakesAPipelineOfEveryFewCores) {
  WorkloadOptions options;
  options.replicas = 8;
  options.batch_per_core = 4;
  options.model = {{"model.stages", "4"}, {"model.microbatches", "2"}, {"model.width", "128"}, {"model.layers", "4"}};
  const Workload workload = models::build_workload("pipelined_mlp", options);
  EXPECT_EQ(workload.samples, 4 * 8);
  EXPECT_EQ(workload.step.module.partitions, 8);
  options.replicas = 6;
  EXPECT_THROW(models::build_workload("pipelined_mlp", options), base::InputError);
  options.replicas = 8;
  options.model["model.microbatches"] = "3";
  EXPECT_THROW(models::build_workload("pipelined_mlp", options), base::InputError) << "16 samples in 3 micro-batches";
}

}  // namespace
}  // namespace podsim::workloads::pipelines
