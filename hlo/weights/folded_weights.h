// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::weights {

/// A program whose weights are ready for its products.
struct FoldedWeights {
  Module module;
  /// By entry parameter, its number before; -1 of a parameter that holds what was computed from weights.
  std::vector<std::int64_t> parameters;
};

/// The program with what its entry computes from weights and constants alone as parameters, as one computes it once
/// before a program is deployed: kernels that are standardised, scales of norms of fixed statistics. Moves, conversions
/// and broadcasts of weights stay in the program, and so does what has more elements than the weights that it is made
/// of, or is made of arrays that something else reads. A new parameter has the name of the weight that most of its
/// elements can come from, with "/folded"; weights that nothing else reads are gone.
FoldedWeights with_folded_weights(Module module, std::span<const std::int64_t> weights);

}  // namespace podsim::hlo::weights
