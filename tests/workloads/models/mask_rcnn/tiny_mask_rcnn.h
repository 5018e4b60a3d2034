// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/workloads/tiny.h"
#include "workloads/models/mask_rcnn/mask_rcnn.h"

namespace podsim::workloads::testing {

/// Mask R-CNN, small enough to evaluate; heads are trained with the true boxes alone.
inline models::mask_rcnn::MaskRcnnOptions tiny_mask_rcnn() {
  models::mask_rcnn::MaskRcnnOptions options;
  options.batch = 2;
  options.image_height = 64;
  options.image_width = 96;
  options.classes = 3;
  options.width = 2;
  options.blocks = {1, 1, 1, 1};
  options.pyramid = 4;
  options.hidden = 5;
  options.objects = 4;
  options.true_mask_size = 6;
  options.candidates = 20;
  options.proposals = 12;
  options.rois = 4;
  options.mask_rois = 4;
  options.suppression_trips = 4;
  options.precision = double_precision();
  options.optimizer = plain_gradient();
  return options;
}

/// An argument that suits the parameter: true boxes inside the image and true classes above 0; one anchor of seven is
/// not sampled, one has an object.
inline hlo::Literal mask_rcnn_argument(const hlo::Instruction& parameter,
                                       const models::mask_rcnn::MaskRcnnOptions& options, unsigned seed) {
  const std::string& name = parameter.name;
  double low = -0.7, high = 0.7;
  if (name.ends_with("scale")) low = 0.8, high = 1.2;
  if (name.ends_with("/momentum")) low = high = 0;
  if (name == "learning_rate") low = high = 0.1;
  if (name == "true_classes") low = 1, high = double(options.classes);
  if (name == "true_masks" || name == "true_boxes") low = 0, high = 1;
  hlo::Literal literal = hlo::testing::random_literal(parameter.shape, seed, low, high);
  std::vector<double>& values = literal.values;
  if (name == "true_classes") {
    for (double& value : values) value = std::floor(value);
  }
  for (std::size_t i = 0; i < values.size() && name == "anchor_classes"; ++i) {
    values[i] = i % 7 == 0 ? 1 : i % 7 == 1 ? -1 : 0;
  }
  for (std::size_t i = 0; i < values.size() && name == "true_boxes"; i += 4) {
    values[i] *= 30, values[i + 1] *= 50;
    values[i + 2] = values[i] + 10 + 20 * values[i + 2];
    values[i + 3] = values[i + 1] + 10 + 30 * values[i + 3];
  }
  return literal;
}

inline std::vector<hlo::Literal> mask_rcnn_arguments(const hlo::Module& module,
                                                     const models::mask_rcnn::MaskRcnnOptions& options) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  unsigned seed = 1;
  for (const hlo::InstructionId id : entry.parameters) {
    arguments.push_back(mask_rcnn_argument(entry[id], options, seed++));
  }
  return arguments;
}

}  // namespace podsim::workloads::testing
