// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/transformer.h"

/// How large a Transformer is, in closed form. With M the model's size, N heads of D elements, K heads of keys, H the
/// hidden size and V the vocabulary, an attention has 2 M (N + K) D weights, a feed-forward block 2 M H, gated 3 M H,
/// as has each of E experts, M E to choose among these, an embedding V M.
namespace podsim::workloads {

/// Elements of all tensors that it trains: the weights, and scales, biases and places beside them.
std::int64_t parameter_count(const TransformerOptions& options);

/// FLOPs of a training step, nothing computed twice: 6 for every weight and token that is multiplied with it, forward
/// and for both gradients, and 12 N D for every pair of a query and a key in a layer, masked or not. Of experts a token
/// passes two; places that stay empty and the ways there and back do not count. The lookup in the embedding, norms,
/// softmax and updates are left out. After Chowdhery et al. 2022 (PaLM), appendix B.
double model_flops(const TransformerOptions& options);

}  // namespace podsim::workloads
