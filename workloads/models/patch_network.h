// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/layers/attention.h"
#include "workloads/layers/feed_forward.h"
#include "workloads/training_step.h"

namespace podsim::workloads::models {

/// What mixes the patches of an image: attention, as in the Vision Transformer (Dosovitskiy et al. 2020), with a
/// trained token from which the class is read, or a perceptron over the patches of each channel, as in MLP-Mixer
/// (Tolstikhin et al. 2021), which reads the class from the mean of all patches.
enum class PatchMixing { attention, perceptron };

/// An image classifier on patches. The defaults are ViT-B/16. Sizes are in elements.
struct PatchNetworkOptions {
  std::int64_t batch = 8;         ///< images in the whole machine
  std::int64_t image_size = 224;  ///< height and width in pixels; three channels
  std::int64_t patch = 16;        ///< height and width of a patch in pixels; divides image_size
  std::int64_t classes = 1000;
  std::int64_t layers = 12;
  std::int64_t model = 768;  ///< M, width of a patch
  PatchMixing mixing = PatchMixing::attention;
  layers::AttentionOptions attention{.heads = 12, .head_size = 64, .biases = true};
  std::int64_t hidden_patches = 384;  ///< hidden width of the perceptron over patches
  layers::FeedForwardOptions feed_forward{.hidden = 3072, .activation = layers::Activation::gelu, .biases = true};
  double dropout = 0;  ///< rate for embedded patches and results of blocks; feed_forward has its own
  Precision precision = {};
  Optimizer optimizer = {.kind = OptimizerKind::adam};

  std::int64_t patches() const { return (image_size / patch) * (image_size / patch); }
  std::int64_t tokens() const { return patches() + (mixing == PatchMixing::attention ? 1 : 0); }
};

/// One step over the whole batch. Parameters: images [batch, image_size, image_size, 3] in the type of the activations,
/// labels s32[batch]; then the trained tensors: "embed/w" [patch, patch, 3, M], "embed/b" [M]; with attention
/// "class_token" [1, M], "position_embedding" [tokens, M] and "layer0/attention/..." (attention.h), else
/// "layer0/patches/..." (feed_forward.h over patches); "layer0/ffn/..."; a norm in front of each block, as
/// "layer0/ffn/norm/scale", "final_norm/...", "head/w" [M, classes] and "head/b". Values by op_name, in addition to
/// those of the blocks: "embed" [batch, rows, columns, M] and "head" [batch, classes]. The loss is the mean
/// cross-entropy. Left out: regularisation but for dropout, and augmentation.
TrainingStep patch_training_step(const PatchNetworkOptions& options);

/// A module that computes only the loss.
hlo::Module patch_forward(const PatchNetworkOptions& options);

/// The number of trained elements, in closed form.
std::int64_t patch_parameter_count(const PatchNetworkOptions& options);
/// FLOPs of the products of a training step: 2 for each multiplication and addition of the forward part, and twice as
/// many of the backward part, which has no gradient of the images.
double patch_flops(const PatchNetworkOptions& options);

}  // namespace podsim::workloads::models
