// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/trained_tensors.h"

namespace podsim::workloads {

/// What a query may look at: a predicate [batch, heads, queries, keys], or -1 for everything.
struct AttentionMask {
  sw::InstructionId allowed = -1;
};

/// A token may look at itself and at those before it.
AttentionMask causal_mask(sw::GraphBuilder& builder, std::int64_t batch, std::int64_t heads, std::int64_t length);
/// Tokens whose element of `present`, s32[batch, keys], is not zero may be looked at.
AttentionMask padding_mask(sw::GraphBuilder& builder, sw::InstructionId present, std::int64_t heads,
                           std::int64_t queries);

struct AttentionOptions {
  std::int64_t heads = 16;
  std::int64_t head_size = 64;
  bool biases = false;  ///< of all four projections
  /// Heads of keys and values, each for heads / key_heads of queries (Ainslie et al. 2023); 0: heads.
  std::int64_t key_heads = 0;

  std::int64_t heads_of_keys() const { return key_heads > 0 ? key_heads : heads; }
};

struct AttentionResult {
  sw::InstructionId value = -1;
  sw::GivenGradient softmax;  ///< for Loss::given
};

/// Multi-head attention (Vaswani et al. 2017) of x [batch, queries, model] over y [batch, keys, model], which is x
/// itself for self-attention: softmax(q k^T / sqrt(head_size)) v for every head, projected back to the model.
/// Trains, with M the model's size, N heads, K of keys and D head_size, w_q [M, N, D], w_k, w_v [M, K, D] and w_o
/// [N, D, M]. K divides N; query head n looks at key head n K / N. Values by op_name: "q" [batch, length, N, D], "k",
/// "v" [batch, length, K, D], "scores" and "probabilities" [batch, N, queries, keys], "context" [batch, N, queries, D],
/// "output" [batch, queries, M]. The softmax is in the type of the parameters; on the
/// way back it needs its result p alone: with g the gradient of p, that of the scores is p (g - sum over keys of g p) /
/// sqrt(D).
AttentionResult attention(TrainedTensors& tensors, sw::InstructionId x, sw::InstructionId y, const AttentionMask& mask,
                          const AttentionOptions& options);

}  // namespace podsim::workloads
