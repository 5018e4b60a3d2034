// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sw/spmd/local_program.h"

/// Products whose collective is taken apart into steps that go on beside partial products: windowed einsum (GSPMD, Xu
/// et al. 2021, section 3.2; Wang et al., ASPLOS 2023).
namespace podsim::sw {

/// A dot whose arrays have a factor of `size` elements, in parts of ceil(size / n) on the n positions along `sub_axes`.
struct EinsumRing {
  SubAxes sub_axes;
  std::int64_t size = 0;
  std::array<int, 2> operand_dimensions{-1, -1};  ///< where the factor is in each operand, -1 where it is not
  int result_dimension = -1;                      ///< likewise
};

/// Operand `cut` has only its part of the factor; the other one has all of it, and so has the result (or the sum over
/// all of it). The parts go round: in each of n - 1 steps a partition multiplies the part at hand while it sends it on.
/// Beyond an uneven factor the part must be 0 where the factor is summed. Dimension numbers are those of `dot`;
/// `result` is of this partition.
InstructionId gather_while_multiplying(LocalProgram& program, const Instruction& dot, const EinsumRing& ring, int cut,
                                       std::array<InstructionId, 2> operands, const Shape& result);

/// The operands are whole along the factor, the product is an addend along the sub-axes, of which every partition wants
/// its part of the sum: sums go round, and each partition adds its product for the part at hand.
InstructionId scatter_while_multiplying(LocalProgram& program, const Instruction& dot, const EinsumRing& ring,
                                        std::array<InstructionId, 2> operands);

}  // namespace podsim::sw
