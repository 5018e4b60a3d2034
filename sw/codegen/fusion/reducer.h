// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"
#include "hw/isa/opcode.h"

namespace podsim::sw::codegen::fusion {

/// The operations of a reduction: between registers, over the lanes and over the sublanes of one.
struct Reducer {
  hw::isa::Opcode fold = hw::isa::Opcode::v_add_f32;
  hw::isa::Opcode lanes = hw::isa::Opcode::x_sum_lanes, sublanes = hw::isa::Opcode::x_sum_sublanes;
  float neutral = 0;
};

/// Those of a reduce instruction: a sum, maximum or minimum of floats from a constant. Throws NoCode for others.
Reducer reducer_of(const hlo::Module& module, const hlo::Computation& body, const hlo::Instruction& reduce);

/// The dimensions of the operand that the result keeps, in order.
std::vector<int> kept_dimensions(const hlo::Computation& body, const hlo::Instruction& reduce);

}  // namespace podsim::sw::codegen::fusion
