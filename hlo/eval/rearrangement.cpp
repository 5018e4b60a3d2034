// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/rearrangement.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "hlo/eval/element.h"
#include "hlo/eval/index_space.h"

namespace podsim::hlo::eval {

namespace {

using Index = std::vector<std::int64_t>;

Literal evaluate_iota(const Instruction& instruction) {
  Literal result = make_zeros(instruction.shape);
  const ElementType type = result.shape.element_type;
  std::int64_t position = 0;
  for_each_index(result.shape.dimensions, [&](const Index& index) {
    const Element number{0, index[std::size_t(instruction.index)]};
    set_element(result, position++, convert_element(ElementType::s64, type, number));
  });
  return result;
}

Literal evaluate_broadcast(const Instruction& instruction, const Literal& operand) {
  const Index strides = row_major_strides(operand.shape.dimensions);
  Index steps(instruction.shape.rank(), 0);
  for (std::size_t i = 0; i < strides.size(); ++i) steps[instruction.dimensions[i]] = strides[i];
  return gather_affine(instruction.shape, operand, 0, steps);
}

Literal evaluate_transpose(const Instruction& instruction, const Literal& operand) {
  const Index strides = row_major_strides(operand.shape.dimensions);
  Index steps(strides.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = strides[instruction.dimensions[i]];
  return gather_affine(instruction.shape, operand, 0, steps);
}

Literal evaluate_reverse(const Instruction& instruction, const Literal& operand) {
  Index steps = row_major_strides(operand.shape.dimensions);
  std::int64_t base = 0;
  for (std::int64_t dimension : instruction.dimensions) {
    base += (operand.shape.dimensions[dimension] - 1) * steps[dimension];
    steps[dimension] = -steps[dimension];
  }
  return gather_affine(instruction.shape, operand, base, steps);
}

Literal evaluate_slice(const Instruction& instruction, const Literal& operand) {
  Index steps = row_major_strides(operand.shape.dimensions);
  std::int64_t base = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    base += instruction.slice[i].start * steps[i];
    steps[i] *= instruction.slice[i].stride;
  }
  return gather_affine(instruction.shape, operand, base, steps);
}

Literal evaluate_pad(const Instruction& instruction, const Literal& operand, const Literal& value) {
  Literal result = make_zeros(instruction.shape);
  const std::int64_t count = result.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) copy_element(result, i, value, 0);
  const Index strides = row_major_strides(result.shape.dimensions);
  std::int64_t position = -1;
  for_each_index(operand.shape.dimensions, [&](const Index& index) {
    ++position;
    std::int64_t to = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const PadDimension& pad = instruction.padding[i];
      const std::int64_t place = pad.low + index[i] * (pad.interior + 1);
      if (place < 0 || place >= result.shape.dimensions[i]) return;
      to += place * strides[i];
    }
    copy_element(result, to, operand, position);
  });
  return result;
}

Literal evaluate_concatenate(const Instruction& instruction, std::span<const Literal* const> operands) {
  Literal result = make_zeros(instruction.shape);
  const auto along = std::size_t(instruction.dimensions[0]);
  const Index strides = row_major_strides(result.shape.dimensions);
  std::int64_t offset = 0;
  for (const Literal* operand : operands) {
    scatter_affine(result, *operand, offset * strides[along], strides);
    offset += operand->shape.dimensions[along];
  }
  return result;
}

/// The number that the array `size` holds.
std::int64_t size_in(const Literal& size, std::int64_t bound) {
  const std::int64_t value = integer_of(size.shape.element_type, element_of(size, 0));
  if (value < 0 || value > bound) throw std::logic_error(fmt::format("a size of {} is not from 0 to {}", value, bound));
  return value;
}

}  // namespace

bool is_rearrangement(Opcode opcode) {
  switch (opcode) {
    case Opcode::iota:
    case Opcode::broadcast:
    case Opcode::reshape:
    case Opcode::transpose:
    case Opcode::reverse:
    case Opcode::pad:
    case Opcode::slice:
    case Opcode::concatenate:
      return true;
    default:
      return false;
  }
}

Literal evaluate_rearrangement(const Instruction& instruction, std::span<const Literal* const> operands) {
  switch (instruction.opcode) {
    case Opcode::iota:
      return evaluate_iota(instruction);
    case Opcode::broadcast:
      return evaluate_broadcast(instruction, *operands[0]);
    case Opcode::reshape:
      return {instruction.shape, operands[0]->values, {}, operands[0]->integers};
    case Opcode::transpose:
      return evaluate_transpose(instruction, *operands[0]);
    case Opcode::reverse:
      return evaluate_reverse(instruction, *operands[0]);
    case Opcode::pad:
      return evaluate_pad(instruction, *operands[0], *operands[1]);
    case Opcode::slice:
      return evaluate_slice(instruction, *operands[0]);
    case Opcode::concatenate:
      return evaluate_concatenate(instruction, operands);
    default:
      break;
  }
  assert(false);
  return {};
}

Literal evaluate_set_dimension_size(const Instruction& instruction, const Literal& operand, const Literal& size) {
  const auto along = std::size_t(instruction.index);
  Shape shape = operand.shape;
  shape.dimensions[along] = size_in(size, instruction.shape.dimensions[along]);
  Literal result = make_zeros(shape);
  const std::vector<std::int64_t> strides = row_major_strides(operand.shape.dimensions);
  std::int64_t to = 0;
  for_each_index(shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    std::int64_t from = 0;
    for (std::size_t i = 0; i < index.size(); ++i) from += index[i] * strides[i];
    if (index[along] < operand.shape.dimensions[along]) copy_element(result, to, operand, from);
    ++to;
  });
  return result;
}

Literal evaluate_dynamic_reshape(const Instruction& instruction, std::span<const Literal* const> operands) {
  Shape shape = instruction.shape;
  if (operands.size() != shape.dimensions.size() + 1) throw std::logic_error("takes a size for each dimension");
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    shape.dimensions[i] = size_in(*operands[i + 1], shape.dimensions[i]);
  }
  if (shape.element_count() != operands[0]->shape.element_count()) {
    throw std::logic_error(
        fmt::format("{} elements in use become {}", operands[0]->shape.element_count(), shape.element_count()));
  }
  return {shape, operands[0]->values, {}, operands[0]->integers};
}

}  // namespace podsim::hlo::eval
