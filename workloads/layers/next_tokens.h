// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

namespace podsim::workloads::layers {

/// The index of the highest number of each row of x [..., numbers], the first of equal ones: s32[...].
hlo::InstructionId most_probable(hlo::build::GraphBuilder& builder, hlo::InstructionId x);

}  // namespace podsim::workloads::layers
