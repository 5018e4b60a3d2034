// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/training_step.h"

namespace podsim::workloads::models::wide_resnet {

/// Wide residual networks for small images (Zagoruyko and Komodakis 2016): three groups of blocks with two 3 x 3
/// convolutions, norms and activations before them; WRN-28-10 for CIFAR-10 by default.
struct WideResNetOptions {
  std::int64_t batch = 64;  ///< images in the whole machine
  std::int64_t image_size = 32;
  std::int64_t classes = 10;
  std::int64_t depth = 28;       ///< 6 N + 4 for N blocks in a group
  std::int64_t widen = 10;       ///< k: the groups have 16 k, 32 k and 64 k channels
  std::int64_t norm_groups = 1;  ///< parts of the batch with statistics of their own
  /// For inference: norms have given statistics. What is normalised before the second convolution of a block is in the
  /// kernel of the first, with a bias; in front of a block and at the end a channel is scaled and shifted.
  bool folded_norms = false;
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::sgd_momentum};

  std::int64_t blocks() const { return (depth - 4) / 6; }  ///< in a group
};

/// One step over the whole batch. Parameters: images [batch, size, size, 3], labels s32[batch]; then the trained
/// tensors: "stem/kernel", for every block "group1/block0/norm1/gamma", "group1/block0/conv1/kernel" and so on, with
/// "projection/kernel" in the first block of a group, "norm/gamma", "norm/beta", "head/kernel", "head/bias". The loss
/// is the mean cross-entropy.
TrainingStep wide_resnet_training_step(const WideResNetOptions& options);

/// A module that computes only the loss.
hlo::Module wide_resnet_forward(const WideResNetOptions& options);

/// FLOPs of the products of a step: 6 for every weight and output position of a convolution (4 for the stem's, whose
/// images have no gradient), and for every weight of the head.
double wide_resnet_flops(const WideResNetOptions& options);

}  // namespace podsim::workloads::models::wide_resnet
