// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// All dots of `lhs` and `rhs` whose result has the dimensions of `result` in some order: every size above 1 is shared
/// out between batch (in all three), rows (lhs and result), columns (rhs and result) and contraction (both operands),
/// each size in every way that its numbers of occurrences allow. The dot's shape has the order of dimensions that a dot
/// has, batch, lhs, rhs, and the result's layout.
std::vector<Instruction> matching_dots(const Shape& result, const Shape& lhs, const Shape& rhs);

/// A dot of a known operand, as rhs, with one that is made: what the result does not share with it are the rows, and
/// what it does not share with the result is contracted. Its lhs is then [rows, contraction]. Nothing when they share
/// nothing.
struct HalfMatch {
  Instruction dot;
  Shape lhs;
};
std::optional<HalfMatch> matching_half(const Shape& result, const Shape& rhs);

/// All dots of `lhs` and `rhs` whose result is not given: a size that both have is batch, contracted or kept of both;
/// at least one is contracted. The result has the order batch, lhs, rhs, and lies row by row.
std::vector<Instruction> intermediate_dots(const Shape& lhs, const Shape& rhs);

/// lhs [rows, depth] times rhs [depth, columns], in bf16.
Instruction plain_dot(std::int64_t rows, std::int64_t columns);

}  // namespace podsim::sw
