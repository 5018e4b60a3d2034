// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "workloads/trained_tensors.h"

namespace podsim::workloads::layers {

/// The keys that queries may attend to: a pred [batch, heads, queries, keys], or -1 for all.
struct AttentionMask {
  hlo::InstructionId allowed = -1;
};

/// A token may attend to itself and to those before it; with a `window`, to the last ones of as many, itself included.
AttentionMask causal_mask(hlo::build::GraphBuilder& builder, std::int64_t batch, std::int64_t heads,
                          std::int64_t length, std::int64_t window = 0);
/// Tokens may attend to those whose element of `present`, s32[batch, keys], is not zero.
AttentionMask padding_mask(hlo::build::GraphBuilder& builder, hlo::InstructionId present, std::int64_t heads,
                           std::int64_t queries);

/// Tokens of a packed sequence may attend to those of the same sentence, by the numbers of the queries' and the keys'
/// sentences, s32[batch, length]; if `causal`, only to themselves and those before them.
AttentionMask packed_mask(hlo::build::GraphBuilder& builder, hlo::InstructionId queries, hlo::InstructionId keys,
                          std::int64_t heads, bool causal);

struct AttentionOptions {
  std::int64_t heads = 16;
  std::int64_t head_size = 64;
  bool biases = false;  ///< all four projections have biases
  /// Number of key and value heads, each of which serves heads / key_heads query heads (Ainslie et al. 2023); 0 for as
  /// many as query heads.
  std::int64_t key_heads = 0;
  /// Scores are masked, and their maxima found, in the type of the activations, as in TensorFlow's BERT; otherwise in
  /// the type of the parameters, as in JAX.
  bool narrow_scores = false;
  /// Scores are products, and stored, in the type of the parameters, as in Lingvo; otherwise in that of the
  /// activations.
  bool wide_scores = false;
  /// Queries and keys are divided by the root of the mean of their squares, with a trained scale (rms_norm).
  bool query_key_norm = false;
  /// Buckets of distances from a key to a later query, whose trained numbers, one for each head, are added to the
  /// scores (Raffel et al. 2020): half of them hold a distance each, the others grow as its logarithm up to 128; 0:
  /// none. For tokens that attend to themselves and those before them.
  std::int64_t relative_buckets = 0;
  /// Exponentials are multiplied with the values and the products divided by the sum of the exponentials, as in
  /// Google's BERT of MLPerf; otherwise the exponentials are divided. The result is the same but for rounding.
  bool late_division = false;
  double dropout = 0;  ///< rate at which probabilities are dropped (dropout.h)
  std::int64_t window =
      0;  ///< a token attends to itself and the window - 1 before it (causal_mask); 0: to all before it
  /// Elements of each head of queries and keys that are rotated by their position, in pairs half of them apart (Su et
  /// al. 2021): pair i by position / 10000^(2 i / rotary). 0: none. For tokens that attend to those before them.
  std::int64_t rotary = 0;
  /// Multi-head latent attention (DeepSeek-AI 2024, without compressed queries): elements of a token's latent vector,
  /// of which keys and values of all heads are products. `rotary` more elements of a key are turned, and common to all
  /// heads; queries have as many more in front. 0: none.
  std::int64_t latent = 0;

  /// Elements of a query.
  std::int64_t query_size() const { return latent > 0 ? rotary + head_size : head_size; }
  std::int64_t heads_of_keys() const { return key_heads > 0 ? key_heads : heads; }
};

struct AttentionResult {
  hlo::InstructionId value = -1;
  hlo::transform::GivenGradient softmax;  ///< for Loss::given
};

/// Multi-head attention (Vaswani et al. 2017) of x [batch, queries, model] over y [batch, keys, model], which is x
/// for self-attention: softmax(q k^T / sqrt(head_size)) v for every head, projected back to the model.
/// With model size M, N query heads, K key heads and head size D, it trains w_q [M, N, D], w_k and w_v [M, K, D], and
/// w_o [N, D, M], and with options of that kind "relative_positions" [N, buckets], "q_norm/scale" and "k_norm/scale"
/// [D]. K divides N; query head n uses key head n K / N. Values by op_name: "q" [batch, length, N, D], "k" and "v"
/// [batch, length, K, D], "scores" and "probabilities" [batch, N, queries, keys], "context" [batch, N, queries, D],
/// "output" [batch, queries, M]. The softmax is in the type of the parameters. Its gradient needs only its result p:
/// with g the gradient of p, that of the scores is p (g - sum over keys of g p) / sqrt(D), and that of what is added to
/// them the same without the root, summed over the batch.
///
/// With a latent of C elements, w_k and w_v are replaced by w_down [M, rotary + C], w_uk and w_uv [C, N, D] and
/// "latent_norm/scale" [C] (rms_norm), and w_q is [M, N, rotary + D]; the value "latent" is [batch, length, rotary +
/// C]. Later steps of a decoder cache that value alone and never make keys and values: queries are multiplied by w_uk,
/// and sums of latents by w_uv.
AttentionResult attention(TrainedTensors& tensors, hlo::InstructionId x, hlo::InstructionId y,
                          const AttentionMask& mask, const AttentionOptions& options);

class KeyValueCache;

/// The same for the new tokens x [B, T, M] of a step with a cache (key_value_cache.h), which attend to all cached
/// tokens and to themselves. Query heads that share a key head are rows of one product, so that the cache is read once.
/// With narrow numbers, scales multiply scores and probabilities.
///
/// With several caches, x is [1, rows, M]: the tokens of all sequences of the first cache, then those of the next. They
/// have their projections in common, and each cache its own scores.
hlo::InstructionId cached_attention(TrainedTensors& tensors, hlo::InstructionId x, std::span<KeyValueCache> caches,
                                    const AttentionOptions& options);

/// The same over the result of an encoder, `memory` [B, source, M], whose keys and values are computed when sequences
/// start and kept in the cache. `memory` is -1 in later steps, `source` its number of tokens.
hlo::InstructionId cached_cross_attention(TrainedTensors& tensors, hlo::InstructionId x, hlo::InstructionId memory,
                                          std::int64_t source, KeyValueCache& cache, const AttentionOptions& options);

}  // namespace podsim::workloads::layers
