// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"

namespace podsim::hlo::weights {

/// What gives the scales of a moved value. Scales have the dimensions of their value, of size 1 where it shares them.
/// The result has the opcode reshape where elements stay in their order; its operand 0 is to be the scales. Given are
/// the move (moves.h), the value's shape before it, and the scales' shape before it. std::nullopt if no such array has
/// the scales of the moved value.
std::optional<Instruction> moved_scales(const Instruction& move, const Shape& value, const Shape& scales);

}  // namespace podsim::hlo::weights
