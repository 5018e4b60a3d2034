// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/models/transformer.h"

namespace podsim::workloads::models {

/// BERT's pre-training (Devlin et al. 2018) as in MLPerf: prediction of masked tokens and of whether the second
/// sentence follows the first. BERT-large by default, without dropout. Sizes are in elements.
struct BertOptions {
  std::int64_t batch = 8;  ///< sequences in the whole machine
  std::int64_t sequence = 512;
  std::int64_t predictions = 76;  ///< masked tokens in a sequence
  std::int64_t vocabulary = 30522;
  std::int64_t layers = 24;
  std::int64_t model = 1024;
  layers::AttentionOptions attention = {
      .heads = 16, .head_size = 64, .biases = true, .narrow_scores = true, .late_division = true};
  layers::FeedForwardOptions feed_forward = {.hidden = 4096, .activation = layers::Activation::gelu, .biases = true};
  layers::EmbeddingLookup lookup = layers::EmbeddingLookup::gather;
  double dropout = 0;  ///< rate for embeddings, probabilities of attention and results of blocks; published: 0.1
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::lamb, .weight_decay = 0.01, .clip_norm = 1};
};

/// One step over the whole batch. Parameters, all s32: tokens, segments (0 or 1) and present (0 for padding) [batch,
/// sequence], masked_places and masked_tokens [batch, predictions], follows [batch]; then the trained tensors:
/// "embedding" [V, M], "position_embedding" [sequence, M], "segment_embedding" [2, M], "embed/norm/...",
/// "layer0/attention/..." (attention.h), "layer0/ffn/..." (feed_forward.h), the norm after each block as
/// "layer0/attention/norm/scale", "pooler/w", "masked/w", "masked/norm/...", "masked/bias" [V], "follows_head/w" and
/// biases. Values have the op_names of transformer.h. The loss is the mean over masked tokens plus the mean over
/// sequences.
TrainingStep bert_training_step(const BertOptions& options);

/// A module that computes only the loss.
hlo::Module bert_forward(const BertOptions& options);

/// FLOPs of a training step, counted as in model_flops() of a Transformer.
double bert_flops(const BertOptions& options);

}  // namespace podsim::workloads::models
