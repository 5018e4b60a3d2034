// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/models/transformer.h"

/// The size of a Transformer in closed form. With model size M, N query heads and K key heads of D elements, hidden
/// size H and vocabulary V, an attention has 2 M (N + K) D weights, or with a latent of C elements and R turned ones
/// M (N (R + 2 D) + R + C) + 2 C N D; a feed-forward block has 2 M H, or 3 M H if gated,
/// and so has each of E experts; their gating has M E, and an embedding V M.
namespace podsim::workloads::models {

/// Number of elements of all trained tensors: weights, scales, biases and position embeddings.
std::int64_t parameter_count(const TransformerOptions& options);

/// FLOPs of a training step without recomputation: 6 for every weight and token that is multiplied by it (forward and
/// both gradients), and 12 N D for every pair of a query and a key in a layer, masked or not (with turned elements next
/// to a latent 6 N (R + 2 D)). A token passes through two experts; empty slots, dispatch and combination do not count.
/// The lookup in the embedding, norms, softmax and updates are left out. After Chowdhery et al. 2022 (PaLM), appendix
/// B.
double model_flops(const TransformerOptions& options);

}  // namespace podsim::workloads::models
