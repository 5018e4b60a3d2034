// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"
#include "sw/codegen/families/reduction_operator.h"

namespace podsim::sw::codegen::families::stream {

/// Sets program and tile_op: reduces the matrix inputs[0] to f32 outputs[0], one element per column. The vector ALUs
/// fold all rows of a lane tile into one register; then the cross-lane unit reduces its sublanes.
void build_sublane_reduction(const TargetMachine& machine, Kernel& kernel, const ReductionOperator& reduction);

}  // namespace podsim::sw::codegen::families::stream
