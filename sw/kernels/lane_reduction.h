// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"
#include "sw/kernels/reduction_operator.h"

namespace podsim::sw {

/// Fills in program and tile_op: the matrix inputs[0] to f32 outputs[0], one element per row. A row's lane tiles are
/// folded into one register by the vector ALUs, then eight rows' lanes by one operation of the cross-lane unit.
void build_lane_reduction(const hw::Machine& machine, Kernel& kernel, const ReductionOperator& reduction);

}  // namespace podsim::sw
