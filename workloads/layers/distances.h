// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/build/graph_builder.h"

namespace podsim::workloads::layers {

/// Huber's distance of every element: x^2 / 2 for |x| up to `bend`, else bend (|x| - bend / 2).
sw::ir::InstructionId huber_distance(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId x, double bend);

/// The cross-entropy of every element between sigmoid(logits) and targets from 0 to 1:
/// max(x, 0) - x target + ln(1 + exp(-|x|)).
sw::ir::InstructionId binary_cross_entropy(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId logits,
                                           sw::ir::InstructionId targets);

}  // namespace podsim::workloads::layers
