// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/graph/gradient.h"
#include "sw/graph/graph_builder.h"

namespace podsim::workloads {

/// A tensor that training changes.
struct TrainedTensor {
  sw::InstructionId value = -1;  ///< the entry parameter
  std::string name;              ///< "layer1/block0/conv1/kernel"
  bool is_kernel = false;        ///< of a convolution or dense layer: decays, and LARS scales its rate
};

/// Element types of a network. Mixed precision keeps parameters and statistics in f32 and activations in bf16.
struct Precision {
  sw::ElementType parameter = sw::ElementType::f32;  ///< parameters, statistics, loss
  sw::ElementType activation = sw::ElementType::bf16;
};

/// The building blocks of convolutional networks, images as [batch, height, width, channels]. A layer writes under the
/// builder's current op_name scope and adds the tensors it trains, in the order of the network.
class Layers {
 public:
  Layers(sw::GraphBuilder& builder, Precision precision) : builder_(builder), precision_(precision) {}

  /// Square kernel, padded by (size - 1) / 2 on every side, no bias. The kernel is read in its own type and converted.
  sw::InstructionId convolution(sw::InstructionId x, std::int64_t filters, std::int64_t size, std::int64_t stride);
  /// Likewise without padding: the image shrinks by size - 1.
  sw::InstructionId valid_convolution(sw::InstructionId x, std::int64_t filters, std::int64_t size);
  /// One number added to every feature, the last dimension.
  sw::InstructionId bias(sw::InstructionId x);

  /// Batch statistics from sum s and sum of squares q over the n values of a channel, mean = s/n, var = q/n - mean^2;
  /// then x * scale + shift with scale = gamma / sqrt(var + 1e-5) and shift = beta - mean * scale per channel.
  sw::InstructionId batch_norm(sw::InstructionId x);

  sw::InstructionId relu(sw::InstructionId x);
  /// Padded so that the output has ceil(size / stride) rows, the odd one at the end.
  sw::InstructionId max_pool(sw::InstructionId x, std::int64_t size, std::int64_t stride);
  /// [batch, height, width, channels] -> [batch, channels]
  sw::InstructionId global_average_pool(sw::InstructionId x);
  /// [batch, features] -> [batch, units] in the parameter type, with bias.
  sw::InstructionId dense(sw::InstructionId x, std::int64_t units);

  const std::vector<TrainedTensor>& trained() const { return trained_; }

 private:
  sw::InstructionId convolved(sw::InstructionId x, std::int64_t filters, const sw::WindowDimension& window);
  sw::InstructionId train(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel);

  sw::GraphBuilder& builder_;
  Precision precision_;
  std::vector<TrainedTensor> trained_;
};

struct Loss {
  sw::InstructionId value = -1;
  std::vector<sw::InstructionId> held;        ///< constants of its gradient: the maxima taken out of the exponentials
  std::vector<sw::GivenGradient> given = {};  ///< gradients that are known
};

/// Mean over all rows of the cross-entropy of softmax(logits[..., classes]) against labels s32[...], where the true
/// class has 1 - smoothing and all classes share smoothing.
Loss softmax_cross_entropy(sw::GraphBuilder& builder, sw::InstructionId logits, sw::InstructionId labels,
                           double smoothing);

}  // namespace podsim::workloads
