// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>

#include "sw/graph/graph.h"
#include "sw/graph/window_shape.h"

/// The shape rules of HLO.
namespace podsim::sw {

/// The shape that follows from the operands and attributes of an instruction. Where HLO leaves the result (or a part of
/// it) to the writer (parameter, constant, iota, infeed, custom-call, rng, bitcast, broadcast, reshape, convert, and
/// the element type of a convolution or dot), that is taken from instruction.shape after checking it. `computations`
/// are those it may call. The start of an asynchronous pair follows the rule of its opcode, its end has the start's
/// shape. Throws std::logic_error with the broken rule.
Shape infer_shape(const Instruction& instruction, std::span<const Shape* const> operands,
                  std::span<const Computation> computations);

/// An instruction's shape is not the one that follows from its operands and attributes, but has that one's structure:
/// tuples of as many elements, arrays of as many dimensions. Only sizes or element types differ.
class ShapeDifference : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws std::logic_error unless the shape of an instruction is the one that follows, but for the precision of real
/// numbers, and a constant's value has it; ShapeDifference where no rule but that one is broken.
void verify_shape(const Instruction& instruction, const Computation& computation,
                  std::span<const Computation> preceding);

}  // namespace podsim::sw
