// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/ssd.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::models {
namespace {

using hlo::Literal;

SsdOptions tiny_ssd() {
  SsdOptions options;
  options.batch = 1;
  options.image_size = 257;
  options.classes = 3;
  options.width = 1;
  options.blocks = {1, 1, 1};
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

// SSD300 has 8732 boxes.
TEST(Ssd, HasTheMapsAndBoxesOfThePaper) {
  const auto sizes = ssd_map_sizes({});
  EXPECT_EQ(sizes, (std::array<std::int64_t, 6>{38, 19, 10, 5, 3, 1}));
  EXPECT_EQ(ssd_box_count({}), 8732);
}

std::vector<hlo::Literal> ssd_arguments(const hlo::Module& module, const SsdOptions& options) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  unsigned seed = 1;
  for (hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    double low = -1, high = 1;
    if (parameter.shape.element_type == hlo::ElementType::s32) low = 0, high = double(options.classes);
    if (parameter.name.ends_with("gamma")) low = 0.8, high = 1.2;
    if (parameter.name == "boxes") low = -3, high = 3;
    if (parameter.name == "matches") low = high = 4;
    arguments.push_back(hlo::testing::random_literal(parameter.shape, seed++, low, high));
    if (parameter.shape.element_type == hlo::ElementType::s32) {
      for (double& value : arguments.back().values) value = std::floor(value);
    }
    if (parameter.name == "classes") {  // every fortieth box has an object
      for (std::size_t i = 0; i < arguments.back().values.size(); ++i) {
        if (i % 40 != 0) arguments.back().values[i] = 0;
      }
    }
  }
  return arguments;
}

// With heads of zeros, all classes are equally likely, so that all boxes are as hard as the hardest, and every box is
// the default one.
TEST(Ssd, HeadsOfZerosLoseTheEntropyOfTheClassesAndTheSizeOfTheBoxes) {
  const SsdOptions options = tiny_ssd();
  const hlo::Module module = ssd_forward(options);
  hlo::build::verify(module);
  std::vector<hlo::Literal> arguments = ssd_arguments(module, options);
  const hlo::Computation& entry = module.entry_computation();
  double boxes = 0, distance = 0, matches = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = entry[entry.parameters[i]].name;
    if (name.starts_with("head")) std::ranges::fill(arguments[i].values, 0.0);
    if (name == "matches") matches = arguments[i].values[0];
    if (name != "classes") continue;
    const hlo::Literal &classes = arguments[i], &targets = arguments[i - 1];
    for (std::size_t k = 0; k < classes.values.size(); ++k) {
      ++boxes;
      for (std::size_t c = 0; c < 4 && classes.values[k] > 0; ++c) {
        const double size = std::abs(targets.values[4 * k + c]);
        distance += size < 1 ? size * size / 2 : size - 0.5;
      }
    }
  }
  const double expected = (std::log(3) * boxes + distance) / matches;
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-9 * expected);
}

// With kernels of zeros, the biases of the heads determine the entropies: those of the fifth scale's first kind are
// higher than all others. Among the boxes without an object, 3 * matches of these count and no others.
TEST(Ssd, TheHardestBoxesWithoutAnObjectCount) {
  const SsdOptions options = tiny_ssd();
  const hlo::Module module = ssd_forward(options);
  std::vector<hlo::Literal> arguments = ssd_arguments(module, options);
  const hlo::Computation& entry = module.entry_computation();
  const std::int64_t size = ssd_map_sizes(options)[4];
  const double hard = double(size * size), matches = hard / 3;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = entry[entry.parameters[i]].name;
    if (name.starts_with("head")) std::ranges::fill(arguments[i].values, 0.0);
    if (name == "head4/classes/bias") arguments[i].values[1] = 2;  // class 1 of the first kind
    if (name == "classes") std::ranges::fill(arguments[i].values, 0.0);
    if (name == "matches") std::ranges::fill(arguments[i].values, matches);
  }
  const double entropy = std::log(2 + std::exp(2.0));  // of class 0, whose logit is 0
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], hard * entropy / matches, 1e-9);
}

// Multiply-accumulates of the convolutions, layer by layer, as [positions, kernel, channels, filters].
TEST(Ssd, TakesTheFlopsOfItsLayers) {
  SsdOptions options;
  options.batch = 1;
  double outputs_times_taps = 150.0 * 150 * 49 * 3 * 64;                               // stem
  outputs_times_taps += 6 * 75.0 * 75 * 9 * 64 * 64;                                   // layer1
  outputs_times_taps += 38.0 * 38 * (9 * 64 * 128 + 64 * 128 + 7 * 9 * 128 * 128);     // layer2
  outputs_times_taps += 38.0 * 38 * (9 * 128 * 256 + 128 * 256 + 11 * 9 * 256 * 256);  // layer3
  outputs_times_taps += 38.0 * 38 * 256 * 256 + 19.0 * 19 * 9 * 256 * 512;             // extra0
  outputs_times_taps += 19.0 * 19 * 512 * 256 + 10.0 * 10 * 9 * 256 * 512;
  outputs_times_taps += 10.0 * 10 * 512 * 128 + 5.0 * 5 * 9 * 128 * 256;
  outputs_times_taps += 5.0 * 5 * 256 * 128 + 3.0 * 3 * 9 * 128 * 256;
  outputs_times_taps += 3.0 * 3 * 256 * 128 + 1.0 * 9 * 128 * 256;
  const double head_channels =
      38.0 * 38 * 4 * 256 + 19.0 * 19 * 6 * 512 + 10.0 * 10 * 6 * 512 + 5.0 * 5 * 6 * 256 + 3.0 * 3 * 4 * 256 + 4 * 256;
  outputs_times_taps += head_channels * 9 * 85;
  const hlo::Module module = ssd_forward(options);
  const hlo::Computation& entry = module.entry_computation();
  double flops = 0;
  for (hlo::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    if (entry[id].opcode == hlo::Opcode::convolution) flops += double(hlo::transform::cost(module, entry, id).flops);
  }
  // Taps in the padding do not count: at most a border of two rows and columns of each map.
  EXPECT_LT(flops, 2 * outputs_times_taps);
  EXPECT_GT(flops, 2 * outputs_times_taps * 0.93);
}

// Three elements of some tensors, by central differences of the loss alone.
TEST(Ssd, HasTheSlopesOfItsLoss) {
  const SsdOptions options = tiny_ssd();
  const TrainingStep step = ssd_training_step(options);
  hlo::build::verify(step.module);
  std::vector<hlo::Literal> arguments = ssd_arguments(step.module, options);
  const hlo::Computation& entry = step.module.entry_computation();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (entry[entry.parameters[i]].name.ends_with("momentum")) std::ranges::fill(arguments[i].values, 0.0);
  }
  const hlo::Literal result = hlo::eval::evaluate(step.module, arguments);
  const hlo::Module forward = ssd_forward(options);
  const std::size_t trained = (result.elements.size() - 1) / 2;
  arguments.resize(forward.entry_computation().parameters.size());
  const double h = 1e-6;
  int seen = 0;
  for (std::size_t i = 0; i < trained; ++i) {
    const std::size_t parameter = std::size_t(step.donations[i].parameter);
    const std::string& name = entry[entry.parameters[parameter]].name;
    if (name != "layer2/block0/projection/kernel" && name != "extra4/conv/kernel" && name != "head3/boxes/bias")
      continue;
    ++seen;
    double& value = arguments[parameter].values[0];
    const double middle = value;
    value = middle + h;
    const double above = hlo::eval::evaluate(forward, arguments).values[0];
    value = middle - h;
    const double below = hlo::eval::evaluate(forward, arguments).values[0];
    value = middle;
    const double slope = (above - below) / (2 * h);
    EXPECT_NEAR(result.elements[trained + i].values[0], slope, 1e-8 + 1e-4 * std::abs(slope)) << name;
  }
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace podsim::workloads::models
