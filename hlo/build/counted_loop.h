// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::build {

/// Values that a loop carries from one trip to the next.
using LoopState = std::vector<InstructionId>;

/// Appends the next state; `trip` is s32[], from 0. Shapes and types stay.
using LoopBody = std::function<LoopState(GraphBuilder& body, InstructionId trip, const LoopState& state)>;

/// A while loop of `trips` trips; its instructions are under the builder's scope. Returns the state after the last one.
LoopState counted_loop(GraphBuilder& builder, const std::string& name, std::int64_t trips, const LoopState& begin,
                       const LoopBody& body);

/// Element `at`, s32[], along the first dimension of x, without that dimension.
InstructionId element_at(GraphBuilder& builder, InstructionId x, InstructionId at);
/// x with that element replaced.
InstructionId with_element_at(GraphBuilder& builder, InstructionId x, InstructionId at, InstructionId element);

}  // namespace podsim::hlo::build
