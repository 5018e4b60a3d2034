// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/vector_cost.h"

#include <algorithm>

#include "base/units.h"

namespace podsim::sw {
namespace {

constexpr std::int64_t kRegisterElements = 1024;
constexpr std::int64_t kSublanes = 8;

/// Per register of the result.
struct Cost {
  std::int64_t alu = 0;
  std::int64_t transcendental = 0;
};

Cost elementwise_cost(const Instruction& instruction, const Computation& computation) {
  switch (instruction.opcode) {
    case Opcode::convert:
      return {instruction.shape.element_type == computation[instruction.operands[0]].shape.element_type ? 0 : 1, 0};
    case Opcode::rsqrt:
    case Opcode::sqrt:
    case Opcode::tanh:
      return {1, 1};
    case Opcode::exponential:
    case Opcode::log:
      return {2, 1};
    case Opcode::divide:
      return {3, 1};
    case Opcode::power:
      return {3, 2};
    case Opcode::pad:
      return {2, 0};
    case Opcode::iota:
      return {1, 0};
    default:
      return {is_elementwise(instruction.opcode) ? 1 : 0, 0};
  }
}

std::int64_t window_taps(const Instruction& instruction) {
  std::int64_t taps = 1;
  for (const WindowDimension& d : instruction.window) taps *= d.size;
  return taps;
}

/// Both passes of select-and-scatter per tap of a window: find the selected position (compare, keep value and index),
/// then add the source where the index matches (compare, select, add), with the read-modify-write of the result.
hw::VectorWork select_and_scatter_cost(const Instruction& instruction, const Computation& computation) {
  std::int64_t taps = vector_registers(computation[instruction.operands[1]].shape) * window_taps(instruction);
  return {.loads = 4 * taps, .stores = 2 * taps, .alu_ops = 10 * taps, .transcendentals = 0};
}

}  // namespace

std::int64_t vector_registers(const Shape& shape) {
  int width = std::max(1, byte_width(shape.element_type));
  return base::divide_round_up(padded_bytes(shape).value() / width, kRegisterElements);
}

hw::VectorWork vector_cost(const Instruction& instruction, const Computation& computation) {
  switch (instruction.opcode) {
    case Opcode::reduce:
      return {.loads = 0,
              .stores = 0,
              .alu_ops = vector_registers(computation[instruction.operands[0]].shape),
              .transcendentals = 0};
    case Opcode::reduce_window: {
      std::int64_t taps = vector_registers(instruction.shape) * window_taps(instruction);
      return {.loads = taps, .stores = 0, .alu_ops = taps, .transcendentals = 0};
    }
    case Opcode::select_and_scatter:
      return select_and_scatter_cost(instruction, computation);
    default: {
      Cost cost = elementwise_cost(instruction, computation);
      if (cost.alu == 0 && cost.transcendental == 0) return {};
      std::int64_t registers = vector_registers(instruction.shape);
      return {
          .loads = 0, .stores = 0, .alu_ops = cost.alu * registers, .transcendentals = cost.transcendental * registers};
    }
  }
}

std::int64_t cross_lane_cost(const Instruction& instruction, const Computation& computation) {
  if (instruction.opcode == Opcode::transpose) return vector_registers(instruction.shape);
  if (instruction.opcode != Opcode::reduce) return 0;
  const Shape& input = computation[instruction.operands[0]].shape;
  if (input.rank() == 0) return 0;
  int lane = input.minor_dimension(0);
  if (std::ranges::find(instruction.dimensions, lane) == instruction.dimensions.end()) return 0;
  // Everything else is added register by register first; then the lanes of one register per eight kept rows are folded.
  return base::divide_round_up(instruction.shape.element_count(), kSublanes);
}

}  // namespace podsim::sw
