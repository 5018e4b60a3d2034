// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/transformer.h"

namespace podsim::workloads {

/// BERT's pre-training (Devlin et al. 2018) as MLPerf has it: masked tokens and whether the second sentence follows the
/// first. BERT-large by default. Sizes in elements; dropout is left out.
struct BertOptions {
  std::int64_t batch = 8;  ///< sequences of the whole machine
  std::int64_t sequence = 512;
  std::int64_t predictions = 76;  ///< masked tokens of a sequence
  std::int64_t vocabulary = 30522;
  std::int64_t layers = 24;
  std::int64_t model = 1024;
  AttentionOptions attention = {.heads = 16, .head_size = 64, .biases = true};
  FeedForwardOptions feed_forward = {.hidden = 4096, .activation = Activation::gelu, .biases = true};
  EmbeddingLookup lookup = EmbeddingLookup::one_hot;
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::lamb, .weight_decay = 0.01};
};

/// One step over the whole batch. Parameters, all s32: tokens, segments (0 or 1) and present (0 where the sequence is
/// filled up) [batch, sequence], masked_places and masked_tokens [batch, predictions], follows [batch]; then the
/// trained tensors: "embedding" [V, M], "position_embedding" [sequence, M], "segment_embedding" [2, M],
/// "embed/norm/...", "layer0/attention/..." (attention.h), "layer0/ffn/..." (feed_forward.h), each block's norm behind
/// it as "layer0/attention/norm/scale", "pooler/w", "masked/w", "masked/norm/...", "masked/bias" [V], "follows_head/w"
/// and biases. Values by op_name as transformer.h has them. The loss is the mean over masked tokens plus that over
/// sequences.
TrainingStep bert_training_step(const BertOptions& options);

/// The loss alone.
sw::Module bert_forward(const BertOptions& options);

/// As model_flops() of a Transformer counts.
double bert_flops(const BertOptions& options);

}  // namespace podsim::workloads
