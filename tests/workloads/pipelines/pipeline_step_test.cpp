// SPDX-License-Identifier: Apache-2.0
#include "workloads/pipelines/pipeline_step.h"

#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/pipeline/schedules.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "tests/hlo/literals.h"
#include "tests/workloads/tiny.h"
#include "workloads/models/bit_resnet.h"
#include "workloads/models/transformer.h"
#include "workloads/trained_program.h"

namespace podsim::workloads::pipelines {
namespace {

using hlo::Literal;
using hlo::pipeline::Kept;
using hlo::pipeline::Schedule;

constexpr double classes = 5;  // integers of inputs are below

/// Arguments of a step of the whole batch by the names of its parameters.
std::map<std::string, Literal> whole_arguments(const hlo::Module& step) {
  std::map<std::string, Literal> arguments;
  const hlo::Computation& entry = step.entry_computation();
  for (const hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    const bool is_integer = !hlo::is_floating_point(parameter.shape.element_type);
    Literal value = hlo::testing::random_literal(parameter.shape, unsigned(arguments.size()), is_integer ? 0 : -0.5,
                                                 is_integer ? classes : 0.5);
    if (is_integer) {
      for (double& number : value.values) number = std::floor(number);
    }
    arguments[parameter.name] = std::move(value);
  }
  return arguments;
}

/// The part of an input for micro-batch `number`.
Literal part_of(const Literal& whole, const hlo::Shape& shape, std::int64_t number) {
  const std::int64_t count = shape.element_count();
  return {shape, {whole.values.begin() + number * count, whole.values.begin() + (number + 1) * count}, {}};
}

/// Compares a pipeline on virtual partitions with the step of the whole batch: new weights, slot variables, loss.
void expect_same_pipeline(const TrainingStep& whole, const ForwardNetwork& network, const Schedule& schedule, Kept kept,
                          std::int64_t pipelines) {
  const std::map<std::string, Literal> arguments = whole_arguments(whole.module);
  std::vector<Literal> in_order;
  for (const hlo::InstructionId id : whole.module.entry_computation().parameters) {
    in_order.push_back(arguments.at(whole.module.entry_computation()[id].name));
  }
  const Literal expected = hlo::eval::evaluate(whole.module, in_order);

  const std::vector<double> costs(std::size_t(network.graph.size()), 1);
  const auto division = hlo::pipeline::balanced_division(divisible(network), schedule.chunks, costs);
  const PipelineStep pipeline = pipeline_step(network, division, {schedule, kept, pipelines});
  const hlo::Module& module = pipeline.step.module;
  hlo::build::verify(module);
  const hlo::Computation& entry = module.entry_computation();
  const std::int64_t stages = std::int64_t(schedule.stages.size());
  std::vector<std::vector<Literal>> own(std::size_t(stages * pipelines));
  for (std::int64_t partition = 0; partition < stages * pipelines; ++partition) {
    const std::vector<std::int64_t>& parameter_of = pipeline.parameter_of[std::size_t(partition % stages)];
    for (const hlo::InstructionId id : entry.parameters) {
      const std::string& name = entry[id].name;
      Literal value = hlo::make_zeros(entry[id].shape);
      if (const auto scalar = arguments.find(name); scalar != arguments.end()) value = scalar->second;
      for (std::size_t tensor = 0; tensor < parameter_of.size(); ++tensor) {
        if (parameter_of[tensor] < 0) continue;
        const std::string& holder = entry[entry.parameters[std::size_t(parameter_of[tensor])]].name;
        if (name != holder && !name.starts_with(holder + "/")) continue;
        value = arguments.at(network.tensors[tensor].name + name.substr(holder.size()));
      }
      const std::size_t slash = name.rfind('/');
      if (slash != std::string::npos && !name.starts_with("weights/")) {
        const std::int64_t number = partition / stages * schedule.microbatches + std::stoll(name.substr(slash + 1));
        value = part_of(arguments.at(name.substr(0, slash)), entry[id].shape, number);
      }
      own[std::size_t(partition)].push_back(std::move(value));
    }
  }
  const std::vector<Literal> results = hlo::eval::evaluate_partitions(module, own);
  double loss = 0;
  for (std::int64_t partition = 0; partition < stages * pipelines; ++partition) {
    const std::vector<std::int64_t>& parameter_of = pipeline.parameter_of[std::size_t(partition % stages)];
    const std::vector<Literal>& elements = results[std::size_t(partition)].elements;
    for (std::size_t tensor = 0; tensor < parameter_of.size(); ++tensor) {
      if (parameter_of[tensor] < 0) continue;
      SCOPED_TRACE(network.tensors[tensor].name);
      hlo::testing::expect_near(elements[std::size_t(parameter_of[tensor])], expected.elements[tensor], 1e-9, 1e-10);
    }
    loss += elements.back().values[0];
  }
  EXPECT_NEAR(loss / double(pipelines), expected.elements.back().values[0], 1e-10);
}

models::TransformerOptions tiny_transformer(std::int64_t batch) {
  models::TransformerOptions options;
  options.batch = batch;
  options.sequence = 3;
  options.vocabulary = 5;
  options.layers = 2;
  options.model = 4;
  options.attention = {2, 2};
  options.feed_forward.hidden = 6;
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

/// Sequences of one micro-batch; a machine of several stages and pipelines has more.
void expect_same_transformer(const Schedule& schedule, Kept kept, std::int64_t pipelines) {
  const TrainingStep whole = models::transformer_training_step(tiny_transformer(2 * schedule.microbatches * pipelines));
  ForwardNetwork network = *models::transformer_training_step(tiny_transformer(2)).forward;
  network.gradient_type = hlo::ElementType::f64;
  expect_same_pipeline(whole, network, schedule, kept, pipelines);
}

// The embedding is the first stage's and, as factor of the logits, the last one's.
TEST(PipelineStep, ATransformerInStagesTrainsAsAWhole) {
  expect_same_transformer(hlo::pipeline::gpipe(3, 2), Kept::received, 1);
  expect_same_transformer(hlo::pipeline::one_f_one_b(3, 4), Kept::activations, 1);
  expect_same_transformer(hlo::pipeline::interleaved(2, 4, 2), Kept::activations, 1);
  expect_same_transformer(hlo::pipeline::zero_bubble(2, 3), Kept::activations, 1);
  expect_same_transformer(hlo::pipeline::zero_bubble(2, 3), Kept::received, 1);
}

TEST(PipelineStep, ParallelPipelinesAverageTheirGradients) {
  expect_same_transformer(hlo::pipeline::one_f_one_b(2, 2), Kept::activations, 2);
}

// The norm of all gradients is far above the bound, and above that of one stage's gradients.
TEST(PipelineStep, StagesClipGradientsByTheNormOfAll) {
  models::TransformerOptions options = tiny_transformer(8);
  options.optimizer.clip_norm = 1e-3;
  const TrainingStep whole = models::transformer_training_step(options);
  options.batch = 1;
  ForwardNetwork network = *models::transformer_training_step(options).forward;
  network.gradient_type = hlo::ElementType::f64;
  expect_same_pipeline(whole, network, hlo::pipeline::one_f_one_b(3, 4), Kept::activations, 2);
}

TEST(PipelineStep, OneStageAddsUpGradientsOfMicrobatches) {
  expect_same_transformer(hlo::pipeline::gpipe(1, 3), Kept::activations, 1);
}

models::BitResNetOptions tiny_residual_network(std::int64_t batch) {
  models::BitResNetOptions options;
  options.batch = batch;
  options.image_size = 16;
  options.classes = 5;
  options.width = 4;
  options.blocks = {1, 1, 1, 1};
  options.groups = 2;
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

// Its norms are over groups of an image's channels, so that images do not depend on each other.
TEST(PipelineStep, AResidualNetworkInStagesTrainsAsAWhole) {
  const TrainingStep whole = models::bit_resnet_training_step(tiny_residual_network(4));
  const auto expect_same = [&](const Schedule& schedule, Kept kept) {
    const TrainingStep part = models::bit_resnet_training_step(tiny_residual_network(4 / schedule.microbatches));
    expect_same_pipeline(whole, *part.forward, schedule, kept, 1);
  };
  expect_same(hlo::pipeline::gpipe(4, 2), Kept::received);
  expect_same(hlo::pipeline::one_f_one_b(2, 4), Kept::activations);
  expect_same(hlo::pipeline::interleaved(2, 4, 3), Kept::received);
  expect_same(hlo::pipeline::zero_bubble(3, 4), Kept::activations);
}

/// A perceptron of three layers in StableHLO, with the mean of the squared errors as loss. {0}: samples, {1}: numbers
/// in all targets.
constexpr const char* perceptron_in_stablehlo = R"(module @perceptron {{
  func.func public @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<4x4xf64>, %arg3: tensor<4x2xf64>,
                         %arg4: tensor<{0}x3xf64>, %arg5: tensor<{0}x2xf64>) -> tensor<f64> {{
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0] : (tensor<{0}x3xf64>, tensor<3x4xf64>) -> tensor<{0}x4xf64>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf64>) -> tensor<{0}x4xf64>
    %2 = stablehlo.add %0, %1 : tensor<{0}x4xf64>
    %3 = stablehlo.tanh %2 : tensor<{0}x4xf64>
    %4 = stablehlo.dot_general %3, %arg2, contracting_dims = [1] x [0] : (tensor<{0}x4xf64>, tensor<4x4xf64>) -> tensor<{0}x4xf64>
    %5 = stablehlo.logistic %4 : tensor<{0}x4xf64>
    %6 = stablehlo.add %5, %3 : tensor<{0}x4xf64>
    %7 = stablehlo.dot_general %6, %arg3, contracting_dims = [1] x [0] : (tensor<{0}x4xf64>, tensor<4x2xf64>) -> tensor<{0}x2xf64>
    %8 = stablehlo.subtract %7, %arg5 : tensor<{0}x2xf64>
    %9 = stablehlo.multiply %8, %8 : tensor<{0}x2xf64>
    %cst = stablehlo.constant dense<0.0> : tensor<f64>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<{0}x2xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<{1}.0> : tensor<f64>
    %11 = stablehlo.divide %10, %cst_0 : tensor<f64>
    return %11 : tensor<f64>
  }}
}}
)";

TrainingStep trained_perceptron(std::int64_t samples) {
  const hlo::text::ReadResult read =
      hlo::text::read("perceptron.mlir", fmt::format(fmt::runtime(perceptron_in_stablehlo), samples, 2 * samples));
  if (!read.ok()) throw base::InputError(read.diagnostics);
  ProgramTraining training;
  training.optimizer.kind = OptimizerKind::sgd_momentum;
  training.parameters = {"0-3"};
  return trained_program(hlo::text::graph::to_graph(read.modules.at(0)), training, std::nullopt);
}

// The result of the first layer is read by the second one and behind it.
TEST(PipelineStep, AProgramOfAFileInStagesTrainsAsAWhole) {
  const auto expect_same = [](const Schedule& schedule, Kept kept) {
    ForwardNetwork network = *trained_perceptron(2).forward;
    network.gradient_type = hlo::ElementType::f64;
    expect_same_pipeline(trained_perceptron(2 * schedule.microbatches), network, schedule, kept, 1);
  };
  for (const Kept kept : {Kept::activations, Kept::received}) {
    expect_same(hlo::pipeline::gpipe(3, 4), kept);
    expect_same(hlo::pipeline::one_f_one_b(3, 4), kept);
    expect_same(hlo::pipeline::interleaved(2, 4, 2), kept);
    expect_same(hlo::pipeline::zero_bubble(3, 4), kept);
  }
}

}  // namespace
}  // namespace podsim::workloads::pipelines
