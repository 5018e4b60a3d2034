// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/layers.h"
#include "workloads/optimizer.h"
#include "workloads/training_step.h"

namespace podsim::workloads::models::inception {

/// Inception-v3 (Szegedy et al. 2015, "Rethinking the Inception Architecture for Computer Vision"), in the form of
/// torchvision, whose batch norms have a scale: blocks whose branches are concatenated, three of 35 x 35 positions,
/// five of 17 x 17 and three of 8 x 8, two of which begin with a reduction.
struct InceptionOptions {
  std::int64_t batch = 128;  ///< images of all cores
  std::int64_t image_size = 299;
  std::int64_t classes = 1000;
  std::int64_t norm_groups = 1;  ///< parts of the batch with statistics of their own
  bool auxiliary = true;         ///< a second classifier behind the blocks of 17 x 17, whose loss counts 0.4
  bool folded_norms = false;     ///< a shift per channel in place of each batch norm, which is folded into the kernel
  Precision precision;
  double label_smoothing = 0.1;
  Optimizer optimizer;
};

/// One training step of the whole machine. The parameters begin with images [batch, size, size, 3] and labels
/// s32[batch]. The values of a block have the op_name "mixed_5b/branch0/..."; its result is "mixed_5b/joined". Averages
/// over windows count the padding, as torchvision's do. The dropout before the classifier is left out.
TrainingStep inception_training_step(const InceptionOptions& options);

/// The forward part alone, with images as first parameter; the result is the logits.
hlo::Module inception_forward(const InceptionOptions& options);

}  // namespace podsim::workloads::models::inception
