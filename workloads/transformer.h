// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/attention.h"
#include "workloads/embedding.h"
#include "workloads/feed_forward.h"
#include "workloads/mixture_of_experts.h"
#include "workloads/normalization.h"
#include "workloads/training_step.h"

namespace podsim::workloads {

/// A language model of Transformer layers (Vaswani et al. 2017) with the norm in front of each block: a decoder that
/// predicts the next token, by itself or over an encoder that it attends to. Sizes in elements.
struct TransformerOptions {
  std::int64_t batch = 8;            ///< sequences of the whole machine
  std::int64_t sequence = 512;       ///< tokens of a sequence
  std::int64_t vocabulary = 32000;   ///< V
  std::int64_t layers = 12;          ///< of the decoder
  std::int64_t model = 768;          ///< M, width of the residual stream
  std::int64_t encoder_layers = 0;   ///< 0: a decoder by itself
  std::int64_t source_sequence = 0;  ///< tokens of the encoder's sequence
  AttentionOptions attention{12, 64};
  FeedForwardOptions feed_forward{3072, Activation::gelu, false};
  MixtureOptions mixture;  ///< in place of some of the feed-forward blocks, whose hidden size its experts have
  NormKind norm = NormKind::layer_norm;
  EmbeddingLookup lookup = EmbeddingLookup::one_hot;
  bool tied_embedding = true;      ///< the logits are products with the embedding
  bool position_embedding = true;  ///< trained, one row for each place
  Precision precision;
  Optimizer optimizer;
};

/// One step over the whole batch. Parameters: tokens s32[batch, sequence], targets s32[batch, sequence], with an
/// encoder source_tokens s32[batch, source_sequence] in front; then the trained tensors: "embedding" [V, M],
/// "position_embedding" [sequence, M], for every layer "layer0/attention/..." (attention.h), "layer0/ffn/..."
/// (feed_forward.h) or "layer1/moe/..." (mixture_of_experts.h) and the norms "layer0/attention/norm/scale",
/// "layer0/ffn/norm/scale", then "final_norm/scale" and, not tied, "unembedding" [V, M]; an encoder's are
/// "encoder/layer0/...", and a decoder's attention to it is "layer0/cross_attention/...".
///
/// Values by op_name, besides those of the blocks: "embed/lookup", "layer0/attention/residual" and
/// "layer0/residual" [batch, sequence, M], what a block leaves in the residual stream; "logits" [batch, sequence, V].
/// The loss is the mean cross-entropy over all tokens, plus what evens out experts.
///
/// std::logic_error where tokens are not a multiple of the groups that compete for experts.
TrainingStep transformer_training_step(const TransformerOptions& options);

/// The loss alone, for tests of numbers.
sw::Module transformer_forward(const TransformerOptions& options);

}  // namespace podsim::workloads
