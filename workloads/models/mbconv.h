// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hlo/graph.h"

namespace podsim::workloads::models {

/// A stage of inverted bottlenecks: `layers` blocks, each a 1x1 convolution to `expansion` times its input channels
/// (absent at 1), a depthwise convolution, squeeze-and-excite with a quarter of the block's input channels if wanted,
/// and a 1x1 projection without activation.
struct MbconvStage {
  std::int64_t expansion = 1, kernel = 3, layers = 1;
  bool squeezes = false;
  bool operator==(const MbconvStage&) const = default;
};

/// Mobile networks of the search space of Accel-NASBench: a 3x3 stem with stride 2 to 32 channels, seven stages with
/// strides 1 2 2 2 1 2 1 and 16 24 40 80 112 192 320 channels, a 1x1 convolution to 1280, mean, dense.
struct MbconvOptions {
  std::int64_t batch = 128;
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;
  std::vector<MbconvStage> stages;   ///< seven
  bool keeps_for_gradients = false;  ///< results that autograd keeps for a backward pass leave the core too
};

/// EfficientNet-B0's stages (Tan and Le 2019).
constexpr std::string_view efficientnet_b0_stages = "e1k3l1s e6k3l2s e6k5l2s e6k3l3s e6k5l3s e6k5l4s e6k3l1s";

/// Reads "e6k3l1 e4k5l2s ...": a word per stage with expansion, kernel and layers, and an s for squeeze-and-excite.
/// Throws base::InputError for any other text; its message quotes the word.
std::vector<MbconvStage> parse_mbconv_stages(std::string_view text);

/// The forward pass in evaluation mode, as PyTorch/XLA runs it.
struct MbconvProgram {
  /// bf16; images [batch, size, size, 3] and weights are parameters. Normalisation is a scale and a shift per channel.
  /// The results are the logits and, if options say so, every array that autograd keeps for a backward pass: inputs of
  /// convolutions, normalisations and products, and results of ReLU. PyTorch/XLA returns an array row-major in
  /// PyTorch's order (batch, channels, height, width) if tiles pad that by less than a quarter, else with its
  /// dimensions by size, the largest in the lanes.
  hlo::Module module;              ///< its first parameter is the batch, the others are weights
  std::int64_t framework_ops = 0;  ///< calls of the framework, which traces the graph anew in every step
  std::int64_t parameters = 0;     ///< numbers that training changes
};

MbconvProgram mbconv_inference(const MbconvOptions& options);

/// FLOPs of the convolutions and products of a forward pass: 2 for every weight of a kernel and position of its result,
/// and for every weight of a dense layer.
double mbconv_flops(const MbconvOptions& options);

}  // namespace podsim::workloads::models
