// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/graph.h"
#include "hlo/weights/weight_type.h"

namespace podsim::hlo::weights {

/// What became of an entry parameter.
struct TypedWeight {
  std::int64_t parameter = 0;  ///< its number, before and after
  std::int64_t scales = -1;    ///< number of the parameter with its scales, in bf16; -1: it has none
  /// By dimension, of a weight with scales: its elements share one. The scales are an array of the other dimensions in
  /// their order, and of the groups along a grouped dimension.
  std::vector<bool> shared = {};
  int grouped_dimension = -1;  ///< -1: none
  std::int64_t group = 0;      ///< elements along the grouped dimension that share a scale
};

struct TypedWeights {
  Module module;
  std::vector<TypedWeight> weights;  ///< those whose type is another now, by number
};

/// A forward program with its weights in another type: entry parameters of f32, bf16 or f16.
///
/// With bf16, every weight of f32 is a parameter of bf16. Conversions to bf16 are gone, as of products' operands;
/// what computes with f32 reads the weight through a conversion, in loops and branches too. On weights that are bf16
/// numbers the values are the same, bit by bit.
///
/// With s8, s4 and f8e4m3fn, so are the weights of two dimensions or more that products or look-ups read
/// (weight_uses.h), with a parameter more each, NAME/scale, for their scales: one for every output channel, which is
/// every combination of indices along dimensions over which no product sums, or with WeightType::group for every
/// group too, where groups divide the dimension and no gather reads the weight. The operand of a product is a
/// conversion of the weight, exact in bf16, and its result is multiplied by the scales of output channels, in its own
/// type, so that partitions add up what they did before. Everything else, products of groups too, reads the weight
/// times its scales in f32. All other weights are in bf16: biases, and scales of norms.
///
/// Parameters keep their numbers, those of scales follow. A scale's sharding is what its weight's says of the
/// dimensions that both have. Requires a module without calls (hlo/transform/inline_calls.h) and fusions; those that
/// there are read weights in the old type.
TypedWeights with_typed_weights(Module module, std::span<const std::int64_t> parameters, const WeightType& type);

}  // namespace podsim::hlo::weights
