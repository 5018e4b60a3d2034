// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "workloads/layers/attention.h"
#include "workloads/layers/embedding.h"
#include "workloads/layers/feed_forward.h"
#include "workloads/layers/mixture_of_experts.h"
#include "workloads/layers/normalization.h"
#include "workloads/training_step.h"

/// A network as a page of layers: what `podsim run net.toml` reads, and what a shared library made with podsim/net.h
/// gives. docs/your_model.md describes the keys; defaults are those of the fields here.
namespace podsim::workloads::nets {

enum class Function : std::uint8_t { none, relu, gelu, tanh };

enum class ImageNorm : std::uint8_t { none, batch, group };

/// Layers of images [batch, height, width, channels] are those of workloads/layers.h.
struct Convolution {
  std::int64_t filters = 0, size = 1, stride = 1;
  bool padded = true;  ///< false: without padding, with stride 1
  ImageNorm norm = ImageNorm::none;
  std::int64_t groups = 32;  ///< of channels, for ImageNorm::group
  bool bias = false;
  Function activation = Function::none;
};

/// Blocks of a ResNet v1.5: convolutions of size 1, 3 and 1 to `width`, `width` and 4 `width` channels, each with a
/// batch norm, added to what the block is given. The first block has the stride and a convolution on its other path.
struct Bottleneck {
  std::int64_t width = 0, blocks = 1, stride = 1;
};

struct MaxPool {
  std::int64_t size = 2, stride = 2;
};

/// The mean over all but the first and the last dimension: [batch, channels], in the type of the activations.
struct AveragePool {};

/// x w + b over the last dimension, trained as "w" and "b".
struct Dense {
  std::int64_t units = 0;
  bool bias = true;
  bool wide = false;  ///< the bias is added in the type of the parameters, which the result has
  Function activation = Function::none;
};

/// Rows of a table for tokens s32[batch, length]: [batch, length, width]; trains "embedding" [vocabulary, width].
struct Embedding {
  std::int64_t vocabulary = 0, width = 0;
  layers::EmbeddingLookup lookup = layers::EmbeddingLookup::gather;
  bool positions = false;  ///< adds "position_embedding" [length, width]
  std::string segments;    ///< input s32[batch, length] of kinds, whose "segment_embedding" is added; empty: none
  std::int64_t segment_kinds = 2;
};

/// An image divided into squares, a convolution without overlap: [batch, patches, width]; trains "w" and "b".
struct Patches {
  std::int64_t size = 16, width = 0;
  bool class_token = false;  ///< puts a trained token in front
  bool positions = false;    ///< adds "position_embedding" [tokens, width]
};

enum class NormPlace : std::uint8_t { before, after, none };

/// What is around a block of a Transformer: y = dropout(block(norm(x))), then x + y, then perhaps the norm.
struct Surroundings {
  NormPlace norm = NormPlace::before;
  layers::NormKind norm_kind = layers::NormKind::layer_norm;
  bool residual = true;
  double dropout = 0;
};

struct Attention {
  layers::AttentionOptions options{.heads = 0, .head_size = 0};
  bool causal = false;
  std::string present;  ///< input s32[batch, keys] that is 0 for padding; empty: none is
  std::string memory;   ///< the layer or input that keys and values are made of; empty: of what queries are made of
  Surroundings around;
};

struct FeedForward {
  layers::FeedForwardOptions options{.hidden = 0};
  Surroundings around;
};

struct Mixture {
  layers::FeedForwardOptions expert{.hidden = 0};
  layers::MixtureOptions options;
  Surroundings around;
};

struct Norm {
  layers::NormKind kind = layers::NormKind::layer_norm;
};

/// Products with the rows of a table of features: that of an embedding, or one of its own, "unembedding".
struct Logits {
  std::string table;            ///< an embedding; empty: its own
  std::int64_t vocabulary = 0;  ///< rows of its own table
  bool bias = false;            ///< adds "bias" in the type of the parameters, which the result has
};

/// Rows [batch, count, features] of [batch, length, features] at the positions s32[batch, count].
struct Rows {
  std::string places;
};

/// The first row of [batch, length, features]: [batch, features].
struct First {};

/// The sum of two values or more of one shape.
struct Add {};

struct Activation {
  Function function = Function::relu;
};

struct Dropout {
  double rate = 0;
};

/// A part of the loss: the mean cross-entropy of softmax(x) against labels, over all but the last dimension.
struct CrossEntropy {
  std::string labels;
  double smoothing = 0, weight = 1;
  bool recompute = false;  ///< the gradient computes the exponentials again (workloads/layers/cross_entropy.h)
};

struct Layer;

/// Layers that are written several times, each with tensors of its own, under NAME0, NAME1, .... Within them "input" is
/// what the first is given.
struct Repeat {
  std::int64_t times = 1;
  std::vector<Layer> layers;
};

using LayerKind =
    std::variant<Convolution, Bottleneck, MaxPool, AveragePool, Dense, Embedding, Patches, Attention, FeedForward,
                 Mixture, Norm, Logits, Rows, First, Add, Activation, Dropout, CrossEntropy, Repeat>;

struct Layer {
  std::string name;
  std::vector<std::string> from;  ///< inputs or layers of this list or of one around it; empty: the layer before
  LayerKind kind;
  base::SourceLocation place;  ///< of its kind
};

struct Input {
  std::string name;
  std::vector<std::int64_t> sizes;                      ///< of one sample
  std::optional<hlo::ElementType> type = std::nullopt;  ///< std::nullopt: that of the activations
  base::SourceLocation place;
};

struct Net {
  std::string name;
  std::int64_t batch_per_core = 1;
  /// The program of the whole machine, which is partitioned; otherwise that of one core, which reads its batch from the
  /// infeed and has all-reduces.
  bool of_machine = false;
  Precision precision;
  hlo::ElementType gradients = hlo::ElementType::bf16;  ///< in which those of cores are all-reduced
  Optimizer optimizer{.kind = OptimizerKind::adam};
  std::vector<Input> inputs;
  std::vector<Layer> layers;
  std::optional<hlo::spmd::mesh::ShardingFile> sharding;
  base::SourceLocation place;
};

}  // namespace podsim::workloads::nets
