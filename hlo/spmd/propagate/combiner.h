// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::spmd::propagate {

/// The opcode of a computation that combines its two scalar parameters by a single op, in either order: add, multiply,
/// minimum, maximum, logical_and or logical_or. nullopt for any other computation.
std::optional<hlo::Opcode> simple_combiner(const hlo::Computation& computation);

/// The identity of a combiner as a scalar of the type: 0 for add, the largest value for minimum.
hlo::InstructionId identity_of(build::GraphBuilder& builder, hlo::Opcode combiner, hlo::ElementType type);

}  // namespace podsim::hlo::spmd::propagate
