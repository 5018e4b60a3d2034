// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// What XLA's algebraic simplifier does with moves of elements, of whose results no layout is given:
///
/// - a broadcast that only adds dimensions of one element is a reshape, and a reshape of a reshape reads what that one
///   reads;
/// - readers of what moves nothing read its operand: a reshape to the same shape, a slice or dynamic slice of the whole
///   array, a concatenation of one. Those of an update of the whole array read the update. JAX's loops of one trip have
///   such slices of their stacks.
void simplify_moves(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
