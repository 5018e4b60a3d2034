// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/actual_shape.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "hlo/rules/shape_inference.h"

namespace podsim::hlo::rules {
namespace {

/// Elementwise instructions and some others.
bool follows_from_operands(Opcode opcode) {
  static constexpr std::array others{
      Opcode::transpose,         Opcode::reverse, Opcode::pad,  Opcode::slice, Opcode::dot,
      Opcode::concatenate,       Opcode::reduce,  Opcode::sort, Opcode::map,   Opcode::reduce_window,
      Opcode::get_dimension_size};
  return is_elementwise(opcode) || std::ranges::find(others, opcode) != others.end();
}

}  // namespace

Shape actual_shape(const Instruction& instruction, std::span<const Shape* const> operands,
                   std::span<const Computation> computations) {
  Shape actual = instruction.shape;
  if (instruction.opcode == Opcode::broadcast) {
    for (std::size_t i = 0; i < instruction.dimensions.size(); ++i) {
      actual.dimensions[std::size_t(instruction.dimensions[i])] = operands[0]->dimensions[i];
    }
    return actual;
  }
  if (!follows_from_operands(instruction.opcode)) {
    throw std::logic_error("this cannot be evaluated on dynamic dimensions");
  }
  const Shape inferred = infer_shape(instruction, operands, computations);
  actual.dimensions = inferred.dimensions;
  for (std::size_t k = 0; k < actual.tuple_shapes.size(); ++k) {
    actual.tuple_shapes[k].dimensions = inferred.tuple_shapes.at(k).dimensions;
  }
  return actual;
}

}  // namespace podsim::hlo::rules
