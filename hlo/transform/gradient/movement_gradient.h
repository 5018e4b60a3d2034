// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/transform/gradient/backward.h"

/// The gradients of what moves values: each element of an operand has the sum of the gradients of its copies.
namespace podsim::hlo::transform::gradient {

/// The dimensions of a rank that are not in the list.
std::vector<std::int64_t> other_dimensions(int rank, const std::vector<std::int64_t>& dimensions);
/// The sum along some dimensions; `x` itself if there are none.
InstructionId summed(build::GraphBuilder& builder, InstructionId x, std::vector<std::int64_t> dimensions);
/// The sum of all elements.
InstructionId total(build::GraphBuilder& builder, InstructionId x);

namespace of {

Rule broadcast, reshape, transpose, reverse, pad, slice, concatenate;
/// A tuple, as an opt-barrier, has the leaves of its operands as its own.
Rule tuple;
Rule get_tuple_element;
/// The value, not the token that it waits for, has the gradient.
Rule add_dependency;

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
