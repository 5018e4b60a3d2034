// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "workloads/training_step.h"

namespace podsim::workloads::models {

/// SSD with a ResNet-34 backbone as in MLPerf (Liu et al. 2016): 300 x 300 images, boxes at six scales. Its images are
/// large and its batches small, so that cores share images.
struct SsdOptions {
  std::int64_t batch = 8;  ///< images in the whole machine
  std::int64_t image_size = 300;
  std::int64_t classes = 81;  ///< the first one is background
  std::int64_t width = 64;    ///< channels of the first convolution
  std::array<std::int64_t, 3> blocks = {3, 4, 6};
  bool folded_norms = false;     ///< a shift per channel in place of each batch norm, which is folded into the kernel
  std::int64_t norm_groups = 1;  ///< the batch is divided into this number of parts, each with statistics of its own
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::sgd_momentum, .weight_decay = 5e-4};
};

/// Boxes at each position of the map of each scale.
constexpr std::array<std::int64_t, 6> ssd_boxes = {4, 6, 6, 6, 4, 4};

/// Height and width of the six maps; 38, 19, 10, 5, 3 and 1 for images of 300.
std::array<std::int64_t, 6> ssd_map_sizes(const SsdOptions& options);

/// Boxes of an image at all scales; 8732 for images of 300.
std::int64_t ssd_box_count(const SsdOptions& options);

/// One step over the whole batch. Parameters: images [batch, size, size, 3]; "boxes" [batch, N, 4], the difference of
/// the true box from the default one for the N boxes of all scales, "classes" s32[batch, N], 0 for no object, and
/// "matches" [batch], the number of boxes with an object; then the trained tensors as in Layers, under "stem",
/// "layer1/block0/conv1", ..., "extra0/reduce", "extra0/conv", "head0/classes", "head0/boxes". Boxes of a scale are in
/// the order [kind, row, column]. Values by op_name: "head0/classes/map"
/// [batch, H, W, kinds x classes], "head0/boxes/map" [batch, H, W, kinds x 4]; "logits" [batch, N, classes],
/// "found" [batch, N, 4].
///
/// The loss of an image is the sum of the cross-entropies of boxes with an object and of three times as many without
/// one, those with the highest (hard-negative mining, workloads/layers/highest_mask.h), plus the sum of the smooth L1
/// distances of the boxes with an object; all divided by their number. The step's loss is its mean over images.
TrainingStep ssd_training_step(const SsdOptions& options);

/// A module that computes only the loss.
hlo::Module ssd_forward(const SsdOptions& options);

}  // namespace podsim::workloads::models
