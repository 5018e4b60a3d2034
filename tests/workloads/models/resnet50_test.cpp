// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/resnet50.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::models {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Literal;
using hlo::Opcode;

std::int64_t trained_values(const TrainingStep& step) {
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (InstructionId id : entry.parameters) {
    const bool is_tensor = !entry[id].name.ends_with("momentum") && entry[id].name != "learning_rate";
    if (is_tensor) count += entry[id].shape.element_count();
  }
  return count;
}

std::int64_t count_of(const hlo::Computation& computation, hlo::Opcode opcode) {
  return std::ranges::count(computation.instructions, opcode, &hlo::Instruction::opcode);
}

/// A training step up to its loss, with the parameters that come before it: the data and the tensors.
hlo::Module up_to_loss(hlo::Module step) {
  hlo::Computation& entry = step.computations[step.entry];
  const InstructionId loss = entry[entry.root].operands.back();
  entry.instructions.resize(loss + 1);
  std::erase_if(entry.parameters, [&](InstructionId parameter) { return parameter > loss; });
  entry.root = loss;
  return step;
}

// Counts of trainable parameters as published with the models (Keras applications, torchvision).
TEST(Resnet50, Has25557032ParametersIn161Tensors) {
  const TrainingStep step = resnet_training_step({});
  EXPECT_EQ(trained_values(step), 25'557'032);
  EXPECT_EQ(step.module.entry_computation().parameters.size(), 161u * 2 + 1);
}

TEST(Resnet50, DeeperVariantsHaveTheirPublishedParameterCounts) {
  ResNetOptions options;
  options.batch = 1;
  options.blocks = {3, 4, 23, 3};
  EXPECT_EQ(trained_values(resnet_training_step(options)), 44'549'160);
  options.blocks = {3, 8, 36, 3};
  EXPECT_EQ(trained_values(resnet_training_step(options)), 60'192'808);
}

TEST(Resnet50, TheGraphIsWellFormed) { EXPECT_NO_THROW(hlo::build::verify(resnet_training_step({}).module)); }

TEST(Resnet50, Has53ConvolutionsForwardAndTwoGradientsOfEachButTheFirstInput) {
  EXPECT_EQ(count_of(resnet_forward({}).entry_computation(), hlo::Opcode::convolution), 53);
  EXPECT_EQ(count_of(resnet_training_step({}).module.entry_computation(), hlo::Opcode::convolution), 3 * 53 - 1);
}

// v1.5 is published with 4.1e9 multiply-accumulates an image; that counts taps on padding, which XLA does not.
TEST(Resnet50, ForwardTakes41e9MultiplyAccumulatesAnImage) {
  ResNetOptions options;
  options.batch = 1;
  const hlo::Module module = resnet_forward(options);
  const hlo::Computation& entry = module.entry_computation();
  std::int64_t all = 0, valid = 0;
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode != hlo::Opcode::convolution && instruction.opcode != hlo::Opcode::dot) continue;
    const hlo::Shape& kernel = entry[instruction.operands[1]].shape;
    all += instruction.shape.element_count() * kernel.element_count() / kernel.dimensions.back();
    valid += hlo::transform::multiply_accumulates(instruction, entry[instruction.operands[0]].shape, kernel);
  }
  EXPECT_NEAR(double(all), 4.09e9, 0.01e9);
  EXPECT_LT(valid, all);
  EXPECT_GT(valid, all * 95 / 100);
}

// XLA's count of the step measured on TPU v3 at 128 images a core: 2.985e12.
TEST(Resnet50, AStepOf128ImagesTakesTheFlopsThatXlaCounted) {
  EXPECT_NEAR(double(hlo::transform::cost(resnet_training_step({}).module).flops), 2.985e12, 0.03 * 2.985e12);
}

// The measured program all-reduces 51,106,384 bytes of bf16: 25,553,192 values, 3,840 fewer than there are parameters.
// In the first block of each stage the last batch norm and that of the projection are added, so their shifts (256, 512,
// 1024 and 2048 of them) have the same gradient, which is computed and reduced once.
TEST(Resnet50, AllReducesAsManyBytesAsMeasured) {
  const TrainingStep step = resnet_training_step({});
  base::Bytes bytes;
  for (const hlo::Instruction& instruction : step.module.entry_computation().instructions) {
    if (instruction.opcode == hlo::Opcode::all_reduce) bytes += hlo::logical_bytes(instruction.shape);
  }
  EXPECT_EQ(bytes.value(), 51'106'384);
  EXPECT_EQ(bytes.value(), 2 * (trained_values(step) - (256 + 512 + 1024 + 2048)));
  EXPECT_EQ(count_of(step.module.entry_computation(), hlo::Opcode::all_reduce), 157);
}

TEST(Resnet50, ConvolutionsReadF32KernelsThroughAConvert) {
  const hlo::Module module = resnet_forward({});
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode != hlo::Opcode::convolution) continue;
    const hlo::Instruction& kernel = entry[instruction.operands[1]];
    EXPECT_EQ(instruction.shape.element_type, hlo::ElementType::bf16);
    EXPECT_EQ(kernel.opcode, hlo::Opcode::convert);
    EXPECT_EQ(entry[kernel.operands[0]].opcode, hlo::Opcode::parameter);
    EXPECT_EQ(entry[kernel.operands[0]].shape.element_type, hlo::ElementType::f32);
  }
}

TEST(Resnet50, EveryTensorAndMomentumIsDonatedToItsSuccessor) {
  const TrainingStep step = resnet_training_step({});
  const hlo::Computation& entry = step.module.entry_computation();
  const hlo::Instruction& root = entry[entry.root];
  EXPECT_EQ(step.donations.size(), root.operands.size() - 1);
  for (const hlo::Donation& donation : step.donations) {
    const hlo::Shape& parameter = entry[entry.parameters[donation.parameter]].shape;
    EXPECT_TRUE(parameter.compatible(entry[root.operands[donation.output]].shape));
  }
}

// A bottleneck, a projection, strides, max pooling, batch norm and softmax in double precision; three elements of
// every tensor against central differences.
TEST(Resnet50, GradientsOfATinyNetworkEqualFiniteDifferences) {
  ResNetOptions options = testing::tiny_resnet();
  options.training.optimizer = testing::plain_gradient();
  const TrainingStep step = resnet_training_step(options);
  std::vector<hlo::Literal> arguments = testing::arguments_for(step.module, 1, 5);
  const hlo::Literal result = hlo::eval::evaluate(step.module, arguments);
  const std::size_t tensors = step.donations.size() / 2;
  const hlo::Module forward = up_to_loss(step.module);
  arguments.resize(forward.entry_computation().parameters.size());
  const auto loss = [&] { return hlo::eval::evaluate(forward, arguments).values[0]; };
  const double h = 1e-6;
  for (std::size_t k = 0; k < tensors; ++k) {
    std::vector<double>& values = arguments[step.donations[k].parameter].values;
    const std::vector<double>& gradient = result.elements[tensors + k].values;
    for (std::size_t i : {std::size_t{0}, values.size() / 2, values.size() - 1}) {
      const double value = values[i];
      values[i] = value + h;
      const double above = loss();
      values[i] = value - h;
      const double below = loss();
      values[i] = value;
      const double slope = (above - below) / (2 * h);
      EXPECT_NEAR(gradient[i], slope, 1e-4 * std::abs(slope) + 1e-7)
          << step.module.entry_computation()[step.module.entry_computation().parameters[step.donations[k].parameter]]
                 .name
          << "[" << i << "]";
    }
  }
}

// In mixed precision the same network has the same loss to bf16's three digits.
TEST(Resnet50, MixedPrecisionIsCloseToDoublePrecision) {
  ResNetOptions options = testing::tiny_resnet();
  const TrainingStep exact = resnet_training_step(options);
  options.precision = {};
  options.training.gradient_type = hlo::ElementType::bf16;
  const TrainingStep mixed = resnet_training_step(options);
  const double expected =
      hlo::eval::evaluate(exact.module, testing::arguments_for(exact.module, 1, 5)).elements.back().values[0];
  const double actual =
      hlo::eval::evaluate(mixed.module, testing::arguments_for(mixed.module, 1, 5)).elements.back().values[0];
  EXPECT_NEAR(actual, expected, 0.03 * expected);
}

TEST(Resnet50, OfTheWholeBatchIsThatOfOneCoreWithAllOfIt) {
  const ResNetOptions options = testing::tiny_resnet();
  const TrainingStep whole = resnet_global_training_step(options);
  for (const hlo::Instruction& instruction : whole.module.entry_computation().instructions) {
    EXPECT_FALSE(hlo::is_collective(instruction.opcode)) << instruction.name;
  }
  const TrainingStep core = resnet_training_step(options);
  const std::vector<hlo::Literal> arguments = testing::arguments_for(core.module, 1, 5);
  const hlo::Literal expected = hlo::eval::evaluate(core.module, arguments),
                     actual = hlo::eval::evaluate(whole.module, arguments);
  ASSERT_EQ(actual.elements.size(), expected.elements.size());
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    EXPECT_EQ(actual.elements[i].values, expected.elements[i].values) << i;
  }
}

TEST(Resnet50, InfeedBringsImagesAndLabels) {
  ResNetOptions options = testing::tiny_resnet();
  const TrainingStep fed = resnet_training_step([&] {
    ResNetOptions with_infeed = options;
    with_infeed.feed_in = true;
    return with_infeed;
  }());
  const TrainingStep given = resnet_training_step(options);
  const std::vector<hlo::Literal> arguments = testing::arguments_for(given.module, 1, 5);
  hlo::eval::EvaluationHost host;
  host.infeed = [&](int, const hlo::Instruction& instruction) {
    return hlo::testing::fed(instruction, {instruction.shape.tuple_shapes[0], {}, {arguments[0], arguments[1]}});
  };
  const hlo::Literal expected = hlo::eval::evaluate(given.module, arguments);
  const hlo::Literal actual = hlo::eval::evaluate(fed.module, std::span(arguments).subspan(2), host);
  ASSERT_EQ(actual.elements.size(), expected.elements.size());
  for (std::size_t i = 0; i < actual.elements.size(); ++i) {
    EXPECT_EQ(actual.elements[i].values, expected.elements[i].values);
  }
}

}  // namespace
}  // namespace podsim::workloads::models
