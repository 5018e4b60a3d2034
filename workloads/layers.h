// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/gradient.h"

namespace podsim::workloads {

/// A tensor that training updates.
struct TrainedTensor {
  hlo::InstructionId value = -1;  ///< the entry parameter
  std::string name;               ///< "layer1/block0/conv1/kernel"
  bool is_kernel = false;  ///< weights of a convolution, dense layer or the like: decays, and LARS scales its rate
};

/// Element types of a network. Mixed precision keeps parameters and statistics in f32 and activations in bf16.
struct Precision {
  hlo::ElementType parameter = hlo::ElementType::f32;  ///< parameters, statistics, loss
  hlo::ElementType activation = hlo::ElementType::bf16;
  /// In which gradients of weights are summed over cores, if that is wider than the activations.
  hlo::ElementType gradient = hlo::ElementType::bf16;
};

/// Writes the layers of convolutional networks; images are [batch, height, width, channels]. A layer writes under the
/// builder's current op_name scope and adds the tensors that it trains, in the order of the network.
class Layers {
 public:
  /// With norm_groups G, the batch is divided into G equal parts of successive images, and batch norms compute the
  /// statistics of each part.
  Layers(hlo::build::GraphBuilder& builder, Precision precision, std::int64_t norm_groups = 1)
      : builder_(builder), precision_(precision), norm_groups_(norm_groups) {}

  /// A square kernel without bias, padded by (size - 1) / 2 on every side (for an even size, by one more at the end).
  /// The kernel is converted to the type of the activations.
  hlo::InstructionId convolution(hlo::InstructionId x, std::int64_t filters, std::int64_t size, std::int64_t stride);
  /// A convolution of stride 2, of odd size, over an image whose blocks of 2 x 2 pixels lie in the channels of x
  /// [batch, height / 2, width / 2, 4 channels], in the order [row, column, channel]: space to depth. The kernel is
  /// that of the image, [size, size, channels, filters]; it is padded to an even size and read in such blocks.
  hlo::InstructionId convolution_of_blocks(hlo::InstructionId x, std::int64_t filters, std::int64_t size);
  /// As convolution(), with stride 1 and without padding: the image shrinks by size - 1.
  hlo::InstructionId valid_convolution(hlo::InstructionId x, std::int64_t filters, std::int64_t size);
  /// A kernel of rows x columns without bias: padded as convolution() is, or without padding.
  hlo::InstructionId rectangular_convolution(hlo::InstructionId x, std::int64_t filters, std::int64_t rows,
                                             std::int64_t columns, std::int64_t stride, bool padded);
  /// The transpose of a convolution without padding (Zeiler et al. 2010): the image grows by this factor, which is also
  /// the size of the kernel.
  hlo::InstructionId transposed_convolution(hlo::InstructionId x, std::int64_t filters, std::int64_t factor);
  /// Adds a trained number to every feature; features are the last dimension.
  hlo::InstructionId bias(hlo::InstructionId x);

  /// Batch statistics from sum s and sum of squares q over the n values of a channel, mean = s/n, var = q/n - mean^2;
  /// then x * scale + shift with scale = gamma / sqrt(var + 1e-5) and shift = beta - mean * scale per channel. With
  /// several groups, all of this for each of them.
  hlo::InstructionId batch_norm(hlo::InstructionId x);

  /// As convolution(), with a standardised kernel (Qiao et al. 2019): (w - mean) / sqrt(var + 1e-10) over all elements
  /// of a filter.
  hlo::InstructionId standardised_convolution(hlo::InstructionId x, std::int64_t filters, std::int64_t size,
                                              std::int64_t stride);
  /// Statistics of each image over `groups` equal groups of successive channels (Wu and He 2018) in two passes over a
  /// view with a dimension for the groups, as the published code of BiT takes them: mean, then variance of the
  /// difference d; then gamma * d / sqrt(var + 1e-5) + beta per channel.
  hlo::InstructionId group_norm(hlo::InstructionId x, std::int64_t groups);

  /// x * scale + shift with two numbers of each channel that are not trained: a batch norm with given statistics.
  hlo::InstructionId frozen_norm(hlo::InstructionId x);

  hlo::InstructionId relu(hlo::InstructionId x);
  /// Padded so that the output has ceil(height / stride) rows and ceil(width / stride) columns. An odd element of
  /// padding is at the end.
  hlo::InstructionId max_pool(hlo::InstructionId x, std::int64_t size, std::int64_t stride);
  /// Without padding.
  hlo::InstructionId valid_max_pool(hlo::InstructionId x, std::int64_t size, std::int64_t stride);
  /// Means over windows that are padded as max_pool() pads them, with zeros that count.
  hlo::InstructionId average_pool(hlo::InstructionId x, std::int64_t size, std::int64_t stride = 1);
  /// Means over windows without padding.
  hlo::InstructionId valid_average_pool(hlo::InstructionId x, std::int64_t size, std::int64_t stride);
  /// [batch, height, width, channels] -> [batch, channels]
  hlo::InstructionId global_average_pool(hlo::InstructionId x);
  /// [batch, features] -> [batch, units] in the parameter type, with bias.
  hlo::InstructionId dense(hlo::InstructionId x, std::int64_t units);

  /// While frozen, tensors of layers are parameters that are not trained.
  void set_frozen(bool frozen) { frozen_ = frozen; }

  const std::vector<TrainedTensor>& trained() const { return trained_; }
  /// The parameters of layers that are not trained.
  const std::vector<hlo::InstructionId>& frozen() const { return held_; }

 private:
  hlo::InstructionId convolved(hlo::InstructionId x, std::int64_t filters, const hlo::WindowDimension& rows,
                               const hlo::WindowDimension& columns);
  hlo::InstructionId averaged(hlo::InstructionId x, const hlo::WindowDimension& rows,
                              const hlo::WindowDimension& columns);
  hlo::InstructionId norm_by_groups(hlo::InstructionId x);
  hlo::InstructionId train(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel);

  hlo::build::GraphBuilder& builder_;
  Precision precision_;
  std::int64_t norm_groups_;
  bool frozen_ = false;
  std::vector<TrainedTensor> trained_;
  std::vector<hlo::InstructionId> held_;
};

struct Loss {
  hlo::InstructionId value = -1;
  std::vector<hlo::InstructionId> held;  ///< constants for its gradient: the maxima subtracted in exponentials
  std::vector<hlo::transform::GivenGradient> given = {};  ///< gradients given in closed form
  std::vector<hlo::InstructionId> predictions = {};       ///< what the network says, which is compared with targets
};

/// A loss plus a share of another one, such as that of an auxiliary classifier.
Loss with_share(hlo::build::GraphBuilder& b, Loss loss, const Loss& other, double share);

/// Mean over all rows of the cross-entropy of softmax(logits[..., classes]) against labels s32[...]. The target is
/// 1 - smoothing for the true class, plus smoothing / classes for every class.
Loss softmax_cross_entropy(hlo::build::GraphBuilder& builder, hlo::InstructionId logits, hlo::InstructionId labels,
                           double smoothing);

}  // namespace podsim::workloads
