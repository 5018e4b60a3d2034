// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/graph.h"

namespace podsim::sw::profile {

/// Returns whether the attributes that the cost of an instruction depends on are present and name existing dimensions;
/// in a truncated text they may not. Operands are instructions of `computation`.
bool has_sound_attributes(const ir::Instruction& instruction, const ir::Computation& computation);

}  // namespace podsim::sw::profile
