// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Makes reshapes of broadcasts that only add dimensions of one element, as XLA's algebraic simplifier does: their
/// readers may then see their operands, and layouts follow from one to the other.
void reshape_unit_broadcasts(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
