// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>

#include "hlo/graph.h"
#include "hlo/rules/window_shape.h"

/// Shape rules of HLO.
namespace podsim::hlo::rules {

/// Returns the shape that follows from the operands and attributes of an instruction. Where HLO leaves the result, or a
/// part of it, to the writer (parameter, constant, iota, infeed, custom-call, rng, bitcast, broadcast, reshape,
/// convert, and the element type of a convolution or dot), it is taken from instruction.shape after a check.
/// `computations` are those that the instruction may call. The start of an asynchronous pair follows the rule of its
/// opcode; its done has the start's shape. Throws std::logic_error with the broken rule.
Shape infer_shape(const Instruction& instruction, std::span<const Shape* const> operands,
                  std::span<const Computation> computations);

/// Why infer_shape() takes the shape of instructions of this opcode as it is written; nullptr if it has a rule.
const char* why_no_shape_rule(Opcode opcode);

/// The shape of an instruction differs from the one that follows from its operands and attributes only in sizes or
/// element types. The structure is the same: tuples have the same number of elements, arrays the same number of
/// dimensions.
class ShapeDifference : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws unless the shape of an instruction is the one that follows, up to the precision of real numbers, and a
/// constant's value has that shape. The exception is ShapeDifference if only sizes or element types differ, else
/// std::logic_error.
void verify_shape(const Instruction& instruction, const Computation& computation,
                  std::span<const Computation> preceding);

}  // namespace podsim::hlo::rules
