// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

namespace podsim::workloads::layers {

/// Huber's distance of every element: x^2 / 2 for |x| up to `bend`, else bend (|x| - bend / 2).
hlo::InstructionId huber_distance(hlo::build::GraphBuilder& builder, hlo::InstructionId x, double bend);

/// The cross-entropy of every element between sigmoid(logits) and targets from 0 to 1:
/// max(x, 0) - x target + ln(1 + exp(-|x|)).
hlo::InstructionId binary_cross_entropy(hlo::build::GraphBuilder& builder, hlo::InstructionId logits,
                                        hlo::InstructionId targets);

}  // namespace podsim::workloads::layers
