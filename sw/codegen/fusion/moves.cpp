// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/moves.h"

#include "sw/codegen/fusion/no_code.h"

namespace podsim::sw::codegen::fusion {

namespace {

Axes of_broadcast(const hlo::Instruction& broadcast, const Axes& axes) {
  Axes operand;
  for (const std::int64_t dimension : broadcast.dimensions) operand.push_back(axes[std::size_t(dimension)]);
  return operand;
}

Axes of_transpose(const hlo::Instruction& transpose, const Axes& axes) {
  Axes operand(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) operand[std::size_t(transpose.dimensions[i])] = axes[i];
  return operand;
}

Axes of_slice(const hlo::Instruction& slice, const Axes& axes) {
  Axes operand = axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (slice.slice[i].stride != 1) throw NoCode("slice", "a slice with a stride");
    operand[i].offset += slice.slice[i].start;
  }
  return operand;
}

/// The dimensions of more than one element keep their order.
Axes of_reshape(const hlo::Shape& result, const hlo::Shape& operand, const Axes& axes) {
  Axes of_operand(operand.dimensions.size());
  std::size_t next = 0;
  const auto skip_single = [&] {
    while (next < result.dimensions.size() && result.dimensions[next] == 1) ++next;
  };
  for (std::size_t i = 0; i < operand.dimensions.size(); ++i) {
    if (operand.dimensions[i] == 1) continue;
    skip_single();
    if (next == result.dimensions.size() || result.dimensions[next] != operand.dimensions[i])
      throw NoCode("reshape", "a reshape that moves elements to other rows");
    of_operand[i] = axes[next++];
  }
  return of_operand;
}

}  // namespace

bool is_move(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::bitcast:
    case hlo::Opcode::broadcast:
    case hlo::Opcode::reshape:
    case hlo::Opcode::slice:
    case hlo::Opcode::transpose:
      return true;
    default:
      return false;
  }
}

Axes axes_of_operand(const hlo::Instruction& move, const hlo::Shape& operand, const Axes& axes) {
  switch (move.opcode) {
    case hlo::Opcode::broadcast:
      return of_broadcast(move, axes);
    case hlo::Opcode::transpose:
      return of_transpose(move, axes);
    case hlo::Opcode::slice:
      return of_slice(move, axes);
    default:
      return of_reshape(move.shape, operand, axes);
  }
}

}  // namespace podsim::sw::codegen::fusion
