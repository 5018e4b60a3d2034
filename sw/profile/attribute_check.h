// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"

namespace podsim::sw {

/// Whether the attributes that the cost of an instruction depends on are there and name dimensions that exist; those of
/// a text that was cut off may not. Operands are instructions of `computation`.
bool has_sound_attributes(const Instruction& instruction, const Computation& computation);

}  // namespace podsim::sw
