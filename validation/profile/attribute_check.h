// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::validation::profile {

/// Returns whether the attributes that the cost of an instruction depends on are present and name existing dimensions;
/// in a truncated text they may not. Operands are instructions of `computation`.
bool has_sound_attributes(const hlo::Instruction& instruction, const hlo::Computation& computation);

}  // namespace podsim::validation::profile
