// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// What XLA's algebraic simplifier does with reshapes: a broadcast that only adds dimensions of one element is a
/// reshape, a reshape of a reshape reads what that one reads, and the readers of one to the shape that its operand has
/// read the operand.
void simplify_reshapes(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
