// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/graph/graph_builder.h"

namespace podsim::sw {

/// The opcode of a computation that combines its two scalar parameters by one op in either order: add, multiply,
/// minimum, maximum, logical_and or logical_or. Nothing for any other computation.
std::optional<Opcode> simple_combiner(const Computation& computation);

/// What changes nothing when it is combined: 0 for add, the largest value for minimum. A scalar of the type.
InstructionId identity_of(GraphBuilder& builder, Opcode combiner, ElementType type);

}  // namespace podsim::sw
