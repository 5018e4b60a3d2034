// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "workloads/training_step.h"

namespace podsim::workloads {

/// ResNet v1.5 of bottleneck blocks (He et al. 2015; the stride in the block's 3x3 convolution), ResNet-50 by default.
struct ResNetOptions {
  std::int64_t batch = 128;  ///< images per core
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;
  std::int64_t width = 64;  ///< channels of the first convolution; stage i works on width * 2^i
  std::array<std::int64_t, 4> blocks = {3, 4, 6, 3};
  Precision precision;
  double label_smoothing = 0.1;
  bool feed_in = true;  ///< images and labels come from infeed; else they are the first two parameters
  TrainingOptions training;
};

/// One training step of one core: images [batch, size, size, 3] and labels s32[batch] in; forward, gradients,
/// all-reduce, update as training_step() says. Batch-norm statistics are of the core's own batch; the moving averages
/// that only evaluation reads are left out.
TrainingStep resnet_training_step(const ResNetOptions& options);

/// Likewise of the whole machine's batch, without all-reduces, to be partitioned: batch-norm statistics are of all
/// images. options.training.replicas and gradient_type have no part in it.
TrainingStep resnet_global_training_step(const ResNetOptions& options);

/// The forward part alone, with images as first parameter: result is the logits. For inference counts and tests.
sw::Module resnet_forward(const ResNetOptions& options);

}  // namespace podsim::workloads
