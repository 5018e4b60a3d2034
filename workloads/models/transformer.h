// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/decode_options.h"
#include "workloads/layers/attention.h"
#include "workloads/layers/embedding.h"
#include "workloads/layers/feed_forward.h"
#include "workloads/layers/mixture_of_experts.h"
#include "workloads/layers/normalization.h"
#include "workloads/training_step.h"

namespace podsim::workloads::models {

/// A language model of Transformer layers (Vaswani et al. 2017) with the norm before each block: a decoder that
/// predicts the next token, optionally with an encoder that it attends to. Sizes are in elements.
struct TransformerOptions {
  std::int64_t batch = 8;            ///< sequences in the whole machine
  std::int64_t sequence = 512;       ///< input tokens in a sequence
  std::int64_t vocabulary = 32000;   ///< V
  std::int64_t layers = 12;          ///< layers of the decoder
  std::int64_t model = 768;          ///< M, width of the residual stream
  std::int64_t encoder_layers = 0;   ///< 0: no encoder
  std::int64_t source_sequence = 0;  ///< input tokens in a sequence of the encoder
  /// Vocabulary of the encoder's input, which then has an embedding of its own; 0: that of the decoder.
  std::int64_t source_vocabulary = 0;
  layers::AttentionOptions attention{12, 64};
  layers::FeedForwardOptions feed_forward{3072, layers::Activation::gelu, false};
  layers::MixtureOptions mixture;  ///< replaces some feed-forward blocks; experts have their hidden size
  layers::NormKind norm = layers::NormKind::layer_norm;
  layers::EmbeddingLookup lookup = layers::EmbeddingLookup::one_hot;
  bool parallel_blocks = false;  ///< both blocks of a layer read one norm of its input, and are added to it together
  /// Parts of the batch whose gradients are computed one after another and added up. Values of the second and later
  /// parts have op_names under "part1/", "part2/", ....
  std::int64_t accumulate = 1;
  bool tied_embedding = true;      ///< the logits are products with the embedding
  bool position_embedding = true;  ///< trained, with one row for each position
  bool packed = false;             ///< sequences hold several sentences; a token attends to those of its own alone
  double label_smoothing = 0;
  double dropout = 0;  ///< rate for embeddings and results of blocks; attention and feed_forward have their own
  Precision precision;
  Optimizer optimizer;
};

/// One step over the whole batch. Parameters: with an encoder, first source_tokens s32[batch, source_sequence]; tokens
/// and targets s32[batch, sequence]; if packed, the numbers of their sentences, with an encoder first source_sentences
/// s32[batch, source_sequence], then sentences s32[batch, sequence]; then the trained tensors: "embedding" [V, M], with
/// a vocabulary of the source's own "encoder/embedding", "position_embedding" [sequence, M], for every layer
/// "layer0/attention/..." (attention.h), "layer0/ffn/..." (feed_forward.h) or "layer1/moe/..." (mixture_of_experts.h)
/// and the norms "layer0/attention/norm/scale", "layer0/ffn/norm/scale", then "final_norm/scale" and, if not tied,
/// "unembedding" [V, M]. Tensors of an encoder are "encoder/layer0/...", and those of a decoder's attention to it
/// "layer0/cross_attention/...".
///
/// Values by op_name, in addition to those of the blocks: "embed/lookup"; "layer0/attention/residual" and
/// "layer0/residual" [batch, sequence, M], the residual stream after a block; "logits" [batch, sequence, V].
/// The loss is the mean cross-entropy over all tokens, plus the auxiliary losses of mixtures of experts.
///
/// Throws std::logic_error if the number of tokens is not a multiple of the group that competes for experts.
TrainingStep transformer_training_step(const TransformerOptions& options);

/// One step of decoding over the whole batch (decode_options.h). Parameters: if sequences start (decode.cached = 0) and
/// there is an encoder, source_tokens; tokens s32[batch, new_tokens] and, of a prefill that joins, prefill_tokens
/// s32[1, prefill]; those of the cache (layers/key_value_cache.h); the tensors that training trains. The first result
/// is the next tokens, s32[batch, 1] or, with all_next, s32[batch, new_tokens], with a prefill that joins s32[1, all
/// sequences or all new tokens], in a loop s32[batch, steps]; or the logits that they follow from, [batch, 1 or
/// new_tokens, V]; the others replace the arrays of the cache in place. A sampled token takes a number from 0 to below
/// 1 of "uniform" [rows of the result]. A beam search has `batch` hypotheses in all, those of a sequence one after the
/// other, with "beam_scores" [batch / beam, beam]; its second result is s32[batch, 1], the hypothesis of the sequence
/// that each one continues, and the cache follows it. `decode` is resolved. Dropout and auxiliary losses have no part
/// in it.
TrainingStep transformer_decode_step(const TransformerOptions& options, const DecodeOptions& decode);

/// A module that computes only the loss, for numerical tests.
hlo::Module transformer_forward(const TransformerOptions& options);

}  // namespace podsim::workloads::models
