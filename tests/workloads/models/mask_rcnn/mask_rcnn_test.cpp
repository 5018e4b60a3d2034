// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/mask_rcnn/mask_rcnn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/workloads/models/mask_rcnn/tiny_mask_rcnn.h"

namespace podsim::workloads::models::mask_rcnn {
namespace {

using hlo::Literal;

const std::string& name_of(const hlo::Module& module, std::size_t parameter) {
  const hlo::Computation& entry = module.entry_computation();
  return entry[entry.parameters[parameter]].name;
}

// 44,401,393 weights and biases, as in the published ResNet-50 FPN model for COCO's 91 class numbers, whose
// normalisations are frozen.
TEST(MaskRcnn, HasThePublishedNumberOfParameters) {
  MaskRcnnOptions options;
  options.batch = 1;
  const hlo::Module module = mask_rcnn_forward(options);
  const hlo::Computation& entry = module.entry_computation();
  std::int64_t count = 0;
  for (const hlo::InstructionId id : entry.parameters) {
    const std::string& name = entry[id].name;
    if (name.ends_with("kernel") || name.ends_with("bias")) count += entry[id].shape.element_count();
  }
  EXPECT_EQ(count, 44'401'393);
}

// ResNet-50 has 23,454,912 weights: 9,408 in the first convolution, and 212,992 in the first group of blocks:
// 64 x 64 + 9 x 64 x 64 + 64 x 256 + 64 x 256 in its first block, twice 256 x 64 + 9 x 64 x 64 + 64 x 256.
TEST(MaskRcnn, TrainsAllButTheFirstConvolutionAndGroup) {
  MaskRcnnOptions options;
  options.batch = 1;
  const TrainingStep step = mask_rcnn_training_step(options);
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < step.donations.size() / 2; ++i) {
    count += entry[entry.parameters[std::size_t(step.donations[i].parameter)]].shape.element_count();
  }
  EXPECT_EQ(count, 44'401'393 - 9'408 - 212'992);
}

TEST(MaskRcnn, HasThreeAnchorsAtEveryPlaceOfFiveMaps) {
  EXPECT_EQ(mask_rcnn_anchor_count({}), 3 * (208 * 336 + 104 * 168 + 52 * 84 + 26 * 42 + 13 * 21));
}

// The program's products, counted one by one, without those by padding. In the first convolution blocks of 2 x 2 pixels
// make 4 x 4 x 12 taps of 7 x 7 x 3. In the mask head, whose maps are small, padding is 2 of 42 taps in each direction.
TEST(MaskRcnn, TakesTheFlopsOfItsProducts) {
  MaskRcnnOptions options;
  options.batch = 1;
  const hlo::Module module = mask_rcnn_training_step(options).module;
  const hlo::Computation& entry = module.entry_computation();
  double flops = 0;
  for (hlo::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    const hlo::Opcode opcode = entry[id].opcode;
    if (opcode != hlo::Opcode::dot && opcode != hlo::Opcode::convolution) continue;
    flops += double(hlo::transform::cost(module, entry, id).flops);
  }
  const double of_blocks = 2.0 * 416 * 672 * 64 * (4 * 4 * 12 - 7 * 7 * 3);
  const double by_padding = 6.0 * 128 * 14 * 14 * 4 * 9 * 256 * 256 * (1 - std::pow(40.0 / 42, 2));
  EXPECT_NEAR(flops - of_blocks + by_padding, mask_rcnn_flops(options), 0.01 * flops);
}

// With heads of zeros, an anchor has an object or none with the same probability, and so has a pixel of a mask. All
// classes are equally likely, and boxes do not move. True boxes overlap themselves most, so that they are the ones that
// heads are trained with, and are where they should be.
TEST(MaskRcnn, HeadsOfZerosLoseTheEntropiesAndTheShiftsOfAnchors) {
  const MaskRcnnOptions options = testing::tiny_mask_rcnn();
  const hlo::Module module = mask_rcnn_forward(options);
  hlo::build::verify(module);
  std::vector<Literal> arguments = testing::mask_rcnn_arguments(module, options);
  double entropy = 0, distance = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = name_of(module, i);
    const std::set<std::string> heads{"rpn/scores", "rpn/shifts", "boxes/classes", "boxes/shifts", "masks/classes"};
    if (heads.contains(name.substr(0, name.rfind('/')))) std::ranges::fill(arguments[i].values, 0.0);
    if (name != "anchor_classes") continue;
    for (std::size_t k = 0; k < arguments[i].values.size(); ++k) {
      if (arguments[i].values[k] >= 0) entropy += std::log(2);
      for (std::size_t c = 0; c < 4 && arguments[i].values[k] > 0; ++c) {
        const double size = std::abs(arguments[i + 1].values[4 * k + c]), bend = 1.0 / 9;
        distance += size <= bend ? size * size / 2 : bend * (size - bend / 2);
      }
    }
  }
  const double of_anchors = (entropy + distance) / (256 * double(options.batch));
  const double expected = of_anchors + std::log(double(options.classes)) + std::log(2);
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-9 * expected);
}

// Masks that are 1 everywhere, with a bias that says so, cost nothing; those that are 0 cost the bias.
TEST(MaskRcnn, MasksAreThoseOfTheBoxesObjects) {
  const MaskRcnnOptions options = testing::tiny_mask_rcnn();
  const hlo::Module module = mask_rcnn_forward(options);
  const auto loss_with_masks = [&](double value) {
    std::vector<Literal> arguments = testing::mask_rcnn_arguments(module, options);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& name = name_of(module, i);
      if (name == "masks/classes/kernel") std::ranges::fill(arguments[i].values, 0.0);
      if (name == "masks/classes/bias") std::ranges::fill(arguments[i].values, 3.0);
      if (name == "true_masks") std::ranges::fill(arguments[i].values, value);
    }
    return hlo::eval::evaluate(module, arguments).values[0];
  };
  EXPECT_NEAR(loss_with_masks(0) - loss_with_masks(1), 3, 1e-9);
}

// Central differences of the loss. The boxes of heads are the true ones, which no weight moves.
TEST(MaskRcnn, HasTheSlopesOfItsLoss) {
  const MaskRcnnOptions options = testing::tiny_mask_rcnn();
  const TrainingStep step = mask_rcnn_training_step(options);
  hlo::build::verify(step.module);
  const hlo::Module forward = mask_rcnn_forward(options);
  std::vector<Literal> arguments = testing::mask_rcnn_arguments(step.module, options);
  const Literal result = hlo::eval::evaluate(step.module, arguments);
  const std::size_t trained = (result.elements.size() - 1) / 2;
  const std::size_t of_forward = forward.entry_computation().parameters.size();
  const std::set<std::string> tried{"layer2/block0/conv2/kernel",
                                    "pyramid/lateral2/kernel",
                                    "pyramid/output5/bias",
                                    "rpn/conv/kernel",
                                    "rpn/shifts/bias",
                                    "boxes/dense0/kernel",
                                    "boxes/shifts/kernel",
                                    "masks/conv0/kernel",
                                    "masks/up/kernel"};
  const double h = 1e-6;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < trained; ++i) {
    const std::size_t parameter = std::size_t(step.donations[i].parameter);
    if (!tried.contains(name_of(step.module, parameter))) continue;
    ++seen;
    double& value = arguments[parameter].values[0];
    const double middle = value;
    const auto loss_at = [&](double x) {
      value = x;
      return hlo::eval::evaluate(forward, std::span(arguments).first(of_forward)).values[0];
    };
    const double slope = (loss_at(middle + h) - loss_at(middle - h)) / (2 * h);
    value = middle;
    EXPECT_NEAR(result.elements[trained + i].values[0], slope, 1e-8 + 1e-4 * std::abs(slope))
        << name_of(step.module, parameter);
  }
  EXPECT_EQ(seen, tried.size());
}

}  // namespace
}  // namespace podsim::workloads::models::mask_rcnn
