// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/models/transformer.h"

/// Sharding files for a Transformer of any sizes.
namespace podsim::workloads::models {

/// Weights split along their width over all cores, activations by their batch: fully sharded data parallelism (Zhao et
/// al. 2023), the third stage of ZeRO (Rajbhandari et al. 2020). Norms and biases are whole. The mesh is x.
std::string fully_sharded(const TransformerOptions& options, std::int64_t cores);

/// Heads, hidden units and words split over `ways` neighbouring cores, the batch over the rest, as in Megatron (Shoeybi
/// et al. 2019) and in MLPerf's Transformer on 4096 chips. The mesh is data, model. `ways` divides the cores.
std::string tensor_parallel(const TransformerOptions& options, std::int64_t cores, std::int64_t ways);

/// Both: `ways` neighbouring cores share heads, hidden units and words, and the rest, which share the batch, split
/// these weights along their width, as with Megatron on ZeRO. The mesh is data, model. `ways` divides the cores.
std::string tensor_parallel_fully_sharded(const TransformerOptions& options, std::int64_t cores, std::int64_t ways);

/// What the sharding of a decoder depends on.
struct DecodedNetwork {
  std::int64_t rows = 1;  ///< sequences, or hypotheses of them
  std::int64_t key_heads = 1;
  bool has_encoder = false;
  bool has_latents = false;
  std::int64_t expert_groups = 0;        ///< of tokens that compete for an expert's slots; 0: no experts
  std::string tokens = "tokens";         ///< the parameter
  std::vector<std::string> absent = {};  ///< names of parameters that only training has
};
DecodedNetwork decoded_network(const TransformerOptions& options);

/// A sharding of training as that of a step of decoding: without the targets, with arrays of the cache split along
/// their sequences as the tokens are, and along their heads as "layer*/attention/w_k" is. Sequences that do not divide
/// among the cores of their axes are whole on each of them, and so are heads and groups of tokens for experts. `cores`
/// is for a text without a mesh.
std::string decode_sharding(const std::string& training, const DecodedNetwork& network, const DecodeOptions& decode,
                            std::int64_t cores);

}  // namespace podsim::workloads::models
