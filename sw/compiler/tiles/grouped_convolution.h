// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hw/tile_op.h"
#include "sw/compiler/tiles/vector_cost.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::tiles {

/// Work of a convolution on the vector unit: for every register of outputs, window tap and input channel of a group, a
/// load, a product and a sum, and one more operation that widens a narrow operand, unless the lanes compute in bf16 and
/// it is that. Weights stay in registers.
///
/// On TPU v2 and v3 a depthwise convolution takes this time: from 3x3 to 5x5 an output register gains 16 taps at 1.3 to
/// 1.9 cycles, on one matrix unit as on two.
hw::VectorWork vector_convolution_work(const hlo::Instruction& convolution, const hlo::Shape& input,
                                       const hlo::Shape& kernel, const VectorUnit& unit);

/// True for a convolution with groups that takes less time on the vector unit than on the matrix units.
bool runs_on_vector_unit(const hlo::Instruction& convolution, const hlo::Shape& input, const hlo::Shape& kernel,
                         const TargetMachine& machine);

}  // namespace podsim::sw::compiler::tiles
