// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::weights {

/// True of operations that only move the elements of operand 0: transpose, reshape, slice, dynamic-slice, gather,
/// broadcast, reverse and copy.
bool moves_elements(const Instruction& instruction);

/// True of a conversion between bf16 and f32, which a weight in a narrower type need not see.
bool converts_weight(const Computation& computation, const Instruction& instruction);

/// Runs of dimensions that a reshape replaces by one another: dimensions [from, from_end) have as many elements as
/// [to, to_end).
struct ReshapedRun {
  int from = 0, from_end = 0, to = 0, to_end = 0;
};
/// The shortest runs of a reshape in order. Requires sizes of at least 1 with equal products.
std::vector<ReshapedRun> reshaped_runs(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);

/// By dimension of a gather's operand, whether indices choose along it.
std::vector<bool> indexed_dimensions(const Instruction& gather, int rank);
/// By dimension of a gather's result, the dimension of the operand that it goes along, -1 for those of the indices.
std::vector<int> gathered_dimensions(const Instruction& gather, int rank);

/// By dimension of an operand (0 or 1) of a dot or convolution, the dimension of the result that it becomes; -1 if the
/// product sums over it. A convolution's operand 1 is its kernel, whose output features alone become one.
std::vector<int> result_dimensions(const Computation& computation, const Instruction& product, std::size_t operand);

}  // namespace podsim::hlo::weights
