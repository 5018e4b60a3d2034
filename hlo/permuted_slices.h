// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo {

/// A slice that a collective-permute writes into an array that exists.
struct PermutedSlice {
  std::size_t array = 0;  ///< among those of the operand, if it is a tuple
  std::vector<std::int64_t> sizes;
};

/// True for the form in place: operands are the input, the output, and the offsets of the slices in both, as nested
/// tuples of scalars; the result is the output with the slices that came.
bool is_in_place(const Instruction& permute);

/// The slices of a collective-permute in place: of the input's array k if the input is a tuple with one slice for each
/// array, else all of the only one. Throws std::logic_error if the sizes are not those of slices of the input.
std::vector<PermutedSlice> permuted_slices(const Instruction& permute, const Shape& input);

}  // namespace podsim::hlo
