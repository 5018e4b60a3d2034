// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/ir/build/graph_builder.h"

namespace podsim::workloads::layers {

/// Values that a loop carries from one trip to the next.
using LoopState = std::vector<sw::ir::InstructionId>;

/// Appends the next state; `trip` is s32[], from 0. Shapes and types stay.
using LoopBody =
    std::function<LoopState(sw::ir::build::GraphBuilder& body, sw::ir::InstructionId trip, const LoopState& state)>;

/// A while loop of `trips` trips; its instructions are under the builder's scope. Returns the state after the last one.
LoopState counted_loop(sw::ir::build::GraphBuilder& builder, const std::string& name, std::int64_t trips,
                       const LoopState& begin, const LoopBody& body);

/// Element `at`, s32[], along the first dimension of x, without that dimension.
sw::ir::InstructionId element_at(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId x,
                                 sw::ir::InstructionId at);
/// x with that element replaced.
sw::ir::InstructionId with_element_at(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId x,
                                      sw::ir::InstructionId at, sw::ir::InstructionId element);

}  // namespace podsim::workloads::layers
