// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/graph.h"

namespace podsim::validation::profile {

/// Returns all dots of `lhs` and `rhs` whose result has the dimensions of `result` in some order. The dimensions of
/// every size above 1 are distributed among batch (in all three arrays), rows (lhs and result), columns (rhs and
/// result) and contraction (both operands) in every combination that the numbers of dimensions of that size allow. The
/// dot's shape has its dimensions in the order of a dot, batch, lhs, rhs, and the result's layout.
std::vector<hlo::Instruction> matching_dots(const hlo::Shape& result, const hlo::Shape& lhs, const hlo::Shape& rhs);

/// A dot of an operand made inside the fusion with a known operand, as rhs. Dimensions of the result that rhs lacks are
/// the rows, and dimensions of rhs that the result lacks are contracted. The lhs is then [rows, contraction], in the
/// layout with the least padding.
struct HalfMatch {
  hlo::Instruction dot;
  hlo::Shape lhs;
};
/// Returns std::nullopt if the arrays share no dimension.
std::optional<HalfMatch> matching_half(const hlo::Shape& result, const hlo::Shape& rhs);

/// Returns all dots of `lhs` and `rhs` with an unknown result. A size that both have is batch, contracted or kept from
/// both; at least one is contracted. The result is row-major, with dimensions in the order batch, lhs, rhs.
std::vector<hlo::Instruction> intermediate_dots(const hlo::Shape& lhs, const hlo::Shape& rhs);

/// A dot of lhs [rows, depth] and rhs [depth, columns] in bf16.
hlo::Instruction plain_dot(std::int64_t rows, std::int64_t columns);

}  // namespace podsim::validation::profile
