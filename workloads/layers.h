// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/ir/build/graph_builder.h"
#include "sw/ir/transform/gradient.h"

namespace podsim::workloads {

/// A tensor that training updates.
struct TrainedTensor {
  sw::ir::InstructionId value = -1;  ///< the entry parameter
  std::string name;                  ///< "layer1/block0/conv1/kernel"
  bool is_kernel = false;  ///< weights of a convolution, dense layer or the like: decays, and LARS scales its rate
};

/// Element types of a network. Mixed precision keeps parameters and statistics in f32 and activations in bf16.
struct Precision {
  sw::ir::ElementType parameter = sw::ir::ElementType::f32;  ///< parameters, statistics, loss
  sw::ir::ElementType activation = sw::ir::ElementType::bf16;
};

/// Writes the layers of convolutional networks; images are [batch, height, width, channels]. A layer writes under the
/// builder's current op_name scope and adds the tensors that it trains, in the order of the network.
class Layers {
 public:
  /// With norm_groups G, the batch is divided into G equal parts of successive images, and batch norms compute the
  /// statistics of each part.
  Layers(sw::ir::build::GraphBuilder& builder, Precision precision, std::int64_t norm_groups = 1)
      : builder_(builder), precision_(precision), norm_groups_(norm_groups) {}

  /// A square kernel without bias, padded by (size - 1) / 2 on every side (for an even size, by one more at the end).
  /// The kernel is converted to the type of the activations.
  sw::ir::InstructionId convolution(sw::ir::InstructionId x, std::int64_t filters, std::int64_t size,
                                    std::int64_t stride);
  /// A convolution of stride 2, of odd size, over an image whose blocks of 2 x 2 places lie in the channels of
  /// x [batch, height / 2, width / 2, 4 channels], in the order [row, column, channel]: space to depth. The kernel is
  /// that of the image, [size, size, channels, filters]; it is padded to an even size and read in such blocks.
  sw::ir::InstructionId convolution_of_blocks(sw::ir::InstructionId x, std::int64_t filters, std::int64_t size);
  /// As convolution(), with stride 1 and without padding: the image shrinks by size - 1.
  sw::ir::InstructionId valid_convolution(sw::ir::InstructionId x, std::int64_t filters, std::int64_t size);
  /// The transpose of a convolution without padding (Zeiler et al. 2010): the image grows by this factor, which is also
  /// the size of the kernel.
  sw::ir::InstructionId transposed_convolution(sw::ir::InstructionId x, std::int64_t filters, std::int64_t factor);
  /// Adds a trained number to every feature; features are the last dimension.
  sw::ir::InstructionId bias(sw::ir::InstructionId x);

  /// Batch statistics from sum s and sum of squares q over the n values of a channel, mean = s/n, var = q/n - mean^2;
  /// then x * scale + shift with scale = gamma / sqrt(var + 1e-5) and shift = beta - mean * scale per channel. With
  /// several groups, all of this for each of them.
  sw::ir::InstructionId batch_norm(sw::ir::InstructionId x);

  /// As convolution(), with a standardised kernel (Qiao et al. 2019): (w - mean) / sqrt(var + 1e-10) over all elements
  /// of a filter.
  sw::ir::InstructionId standardised_convolution(sw::ir::InstructionId x, std::int64_t filters, std::int64_t size,
                                                 std::int64_t stride);
  /// Statistics of each image over `groups` equal groups of successive channels (Wu and He 2018) in two passes over a
  /// view with a dimension for the groups, as the published code of BiT takes them: mean, then variance of the
  /// difference d; then gamma * d / sqrt(var + 1e-5) + beta per channel.
  sw::ir::InstructionId group_norm(sw::ir::InstructionId x, std::int64_t groups);

  /// x * scale + shift with two numbers of each channel that are not trained: a batch norm with given statistics.
  sw::ir::InstructionId frozen_norm(sw::ir::InstructionId x);

  sw::ir::InstructionId relu(sw::ir::InstructionId x);
  /// Padded so that the output has ceil(height / stride) rows and ceil(width / stride) columns. An odd element of
  /// padding is at the end.
  sw::ir::InstructionId max_pool(sw::ir::InstructionId x, std::int64_t size, std::int64_t stride);
  /// [batch, height, width, channels] -> [batch, channels]
  sw::ir::InstructionId global_average_pool(sw::ir::InstructionId x);
  /// [batch, features] -> [batch, units] in the parameter type, with bias.
  sw::ir::InstructionId dense(sw::ir::InstructionId x, std::int64_t units);

  /// While frozen, tensors of layers are parameters that are not trained.
  void set_frozen(bool frozen) { frozen_ = frozen; }

  const std::vector<TrainedTensor>& trained() const { return trained_; }
  /// The parameters of layers that are not trained.
  const std::vector<sw::ir::InstructionId>& frozen() const { return held_; }

 private:
  sw::ir::InstructionId convolved(sw::ir::InstructionId x, std::int64_t filters, const sw::ir::WindowDimension& window);
  sw::ir::InstructionId norm_by_groups(sw::ir::InstructionId x);
  sw::ir::InstructionId train(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel);

  sw::ir::build::GraphBuilder& builder_;
  Precision precision_;
  std::int64_t norm_groups_;
  bool frozen_ = false;
  std::vector<TrainedTensor> trained_;
  std::vector<sw::ir::InstructionId> held_;
};

struct Loss {
  sw::ir::InstructionId value = -1;
  std::vector<sw::ir::InstructionId> held;  ///< constants for its gradient: the maxima subtracted in exponentials
  std::vector<sw::ir::transform::GivenGradient> given = {};  ///< gradients given in closed form
  std::vector<sw::ir::InstructionId> predictions = {};       ///< what the network says, which is compared with targets
};

/// Mean over all rows of the cross-entropy of softmax(logits[..., classes]) against labels s32[...]. The target is
/// 1 - smoothing for the true class, plus smoothing / classes for every class.
Loss softmax_cross_entropy(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId logits,
                           sw::ir::InstructionId labels, double smoothing);

}  // namespace podsim::workloads
