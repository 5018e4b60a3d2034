// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/ir/build/graph_builder.h"

namespace podsim::sw::spmd::propagate {

/// The opcode of a computation that combines its two scalar parameters by a single op, in either order: add, multiply,
/// minimum, maximum, logical_and or logical_or. nullopt for any other computation.
std::optional<ir::Opcode> simple_combiner(const ir::Computation& computation);

/// The identity of a combiner as a scalar of the type: 0 for add, the largest value for minimum.
ir::InstructionId identity_of(ir::build::GraphBuilder& builder, ir::Opcode combiner, ir::ElementType type);

}  // namespace podsim::sw::spmd::propagate
