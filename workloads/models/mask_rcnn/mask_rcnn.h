// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/training_step.h"

namespace podsim::workloads::models::mask_rcnn {

/// Mask R-CNN (He et al. 2017) with ResNet-50 and a feature pyramid (Lin et al. 2017), as in MLPerf.
struct MaskRcnnOptions {
  std::int64_t batch = 4;           ///< images in the whole machine
  std::int64_t image_height = 832;  ///< a multiple of 32
  std::int64_t image_width = 1344;  ///< a multiple of 32
  std::int64_t classes = 91;        ///< COCO's numbers of classes; 0 is background
  std::int64_t width = 64;          ///< channels of the first convolution
  std::array<std::int64_t, 4> blocks = {3, 4, 6, 3};
  std::int64_t pyramid = 256;         ///< channels of the pyramid and of the mask head
  std::int64_t hidden = 1024;         ///< units of the box head
  std::int64_t objects = 100;         ///< slots for true objects of an image
  std::int64_t true_mask_size = 112;  ///< rows and columns of the true mask within its box
  std::int64_t candidates = 2000;     ///< boxes of a level that suppression looks at; all of a level with fewer
  std::int64_t proposals = 1000;      ///< boxes of an image that are left, not more than there are candidates
  std::int64_t rois = 512;            ///< boxes of an image that the box head is trained with
  std::int64_t mask_rois = 128;       ///< of these, boxes that the mask head is trained with
  std::int64_t suppression_trips = 16;
  bool knows_objects = true;  ///< if false, the heads take the best proposals in place of those that overlap true boxes
  /// As in the published code and profile: products in bf16, gradients added up in f32.
  Precision precision = {.gradient = hlo::ElementType::f32};
  Optimizer optimizer = {.kind = OptimizerKind::sgd_momentum, .weight_decay = 1e-4};
};

constexpr std::int64_t mask_rcnn_anchor_kinds = 3;                        ///< of a position
constexpr std::int64_t mask_rcnn_box_bins = 7, mask_rcnn_mask_bins = 14;  ///< rows and columns that heads read

/// Anchors of an image at all levels, three for each position of a map; 279,279 for 832 x 1344.
std::int64_t mask_rcnn_anchor_count(const MaskRcnnOptions& options);

/// One step over the whole batch. Parameters: "images" [batch, height / 2, width / 2, 12], in whose channels
/// blocks of 2 x 2 pixels lie (Layers::convolution_of_blocks); "anchor_classes" s32[batch, anchors],
/// 1 for an anchor with an object, 0 without, -1 if it is not sampled, and "anchor_shifts" [batch, anchors, 4], which
/// hosts prepare; "true_boxes" [batch, objects, 4] in pixels (top, left, bottom, right; without area where there is no
/// object), "true_classes" s32[batch, objects], "true_masks" [batch, objects, size, size] within the boxes; then the
/// tensors. The first convolution and group of blocks and all normalisations are frozen, as in the reference. Levels 2
/// to 5 of the pyramid have strides of 4 to 32, level 6 has every second position of level 5.
///
/// The region proposal network scores three anchors of each position (32 to 512 pixels, heights over widths of 1, 2 and
/// 1/2). The best candidates of each level become boxes, of which non-maximum suppression above 0.7 leaves some
/// (workloads/layers/boxes.h); the best ones of all levels and the true boxes are the proposals. Those with the highest
/// overlap with a true box are taken, with that object as target from an overlap of 0.5; a level by their size is read
/// by ROI align with 2 x 2 samples (workloads/layers/roi_align.h), into 7 x 7 bins for the box head (two dense layers)
/// and 14 x 14 for the mask head (four convolutions and a transposed one, to 28 x 28).
///
/// The loss is the sum of five: cross-entropy and Huber distance (from 1/9) of the anchors over 256 anchors an image;
/// cross-entropy and Huber distance (from 1) of boxes over all of them; cross-entropy of masks over the pixels of those
/// with an object. Boxes are constants for the gradient.
TrainingStep mask_rcnn_training_step(const MaskRcnnOptions& options);

/// A module that computes only the loss.
hlo::Module mask_rcnn_forward(const MaskRcnnOptions& options);

/// FLOPs of the convolutions and products of a step: 6 for every weight and output position, 4 where inputs have no
/// gradient and for ROI align, whose weights have none, 2 in frozen layers and for targets.
double mask_rcnn_flops(const MaskRcnnOptions& options);

}  // namespace podsim::workloads::models::mask_rcnn
