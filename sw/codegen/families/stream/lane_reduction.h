// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"
#include "sw/codegen/families/reduction_operator.h"

namespace podsim::sw::codegen::families::stream {

/// Sets program and tile_op: reduces the matrix inputs[0] to f32 outputs[0], one element per row. The vector ALUs fold
/// a row's lane tiles into one register; then one operation of the cross-lane unit reduces the lanes of eight rows.
void build_lane_reduction(const TargetMachine& machine, Kernel& kernel, const ReductionOperator& reduction);

}  // namespace podsim::sw::codegen::families::stream
