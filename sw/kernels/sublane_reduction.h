// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"
#include "sw/kernels/reduction_operator.h"

namespace podsim::sw {

/// Fills in program and tile_op: the matrix inputs[0] to f32 outputs[0], one element per column. The vector ALUs fold
/// all rows of a lane tile into one register, the cross-lane unit its sublanes.
void build_sublane_reduction(const hw::Machine& machine, Kernel& kernel, const ReductionOperator& reduction);

}  // namespace podsim::sw
