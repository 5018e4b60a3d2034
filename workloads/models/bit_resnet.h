// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "workloads/training_step.h"

namespace podsim::workloads::models {

/// ResNet with norms and activations before the convolutions (He et al. 2016, "v2"), group norms and standardised
/// kernels, as in Big Transfer (Kolesnikov et al. 2020): BiT-R50x1 by default.
struct BitResNetOptions {
  std::int64_t batch = 64;  ///< images in the whole machine
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;
  std::int64_t width = 64;
  std::array<std::int64_t, 4> blocks = {3, 4, 6, 3};
  std::int64_t groups = 32;  ///< of channels in a norm; divides the width
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::sgd_momentum, .weight_decay = 0};
};

/// One step over the whole batch. Parameters: images [batch, size, size, 3], labels s32[batch]; then the trained
/// tensors: "stem/kernel", for every block "layer1/block0/norm1/gamma", "layer1/block0/conv1/kernel" and so on, with
/// "projection/kernel" in the first block of a group, "norm/gamma", "norm/beta", "head/kernel", "head/bias". The loss
/// is the mean cross-entropy.
TrainingStep bit_resnet_training_step(const BitResNetOptions& options);

/// A module that computes only the loss.
hlo::Module bit_resnet_forward(const BitResNetOptions& options);

/// FLOPs of the products of a step: 6 for every weight and output position of a convolution (4 for the stem's, whose
/// images have no gradient), and for every weight of the head.
double bit_resnet_flops(const BitResNetOptions& options);

}  // namespace podsim::workloads::models
