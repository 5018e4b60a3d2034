// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "workloads/training_step.h"

namespace podsim::workloads::models {

/// ResNet v1.5 with bottleneck blocks (He et al. 2015, with the stride in the block's 3x3 convolution), ResNet-50 by
/// default.
struct ResNetOptions {
  std::int64_t batch = 128;  ///< images per core
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;
  std::int64_t width = 64;  ///< channels of the first convolution; the i-th group of blocks has width * 2^i
  std::array<std::int64_t, 4> blocks = {3, 4, 6, 3};
  Precision precision;
  double label_smoothing = 0.1;
  bool folded_norms = false;  ///< a shift per channel in place of each batch norm, which is folded into the kernel
  bool feed_in = true;        ///< images and labels come from the infeed; if false, they are the first two parameters
  TrainingOptions training;
};

/// One training step of one core, which reads images [batch, size, size, 3] and labels s32[batch], with gradients,
/// all-reduces and updates from training_step(). Batch-norm statistics are over the batch of the core; the moving
/// averages that only evaluation reads are left out.
TrainingStep resnet_training_step(const ResNetOptions& options);

/// As above, for the batch of the whole machine, without all-reduces, to be partitioned. Batch-norm statistics are over
/// all images. options.training.replicas is not used.
TrainingStep resnet_global_training_step(const ResNetOptions& options);

/// Only the forward part, with images as first parameter; the result is the logits. For operation counts of inference
/// and for tests.
hlo::Module resnet_forward(const ResNetOptions& options);

/// The logits of images, the first parameter, for inference: all parameters are in the type of the activations, and
/// batch norms are folded into the kernels before them and a shift per channel.
TrainingStep resnet_inference(ResNetOptions options);

}  // namespace podsim::workloads::models
