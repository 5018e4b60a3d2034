// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/elementwise_shape.h"

namespace podsim::hlo::rules {

namespace {

Shape with_type(const Shape& shape, ElementType type) { return make_shape(type, shape.dimensions); }

ElementType part_of(ElementType type) {
  if (type == ElementType::c64) return ElementType::f32;
  return type == ElementType::c128 ? ElementType::f64 : type;
}

Shape infer_complex(OperandShapes operands) {
  require_count(operands, 2);
  require_similar(*operands[0], *operands[1]);
  const ElementType type = operands[0]->element_type;
  require(type == ElementType::f32 || type == ElementType::f64, "complex takes f32 or f64");
  return with_type(*operands[0], type == ElementType::f32 ? ElementType::c64 : ElementType::c128);
}

Shape infer_select(OperandShapes operands) {
  require_count(operands, 3);
  require(operands[0]->element_type == ElementType::pred, "selects by something other than pred");
  require(operands[0]->dimensions == operands[1]->dimensions || operands[0]->rank() == 0,
          "predicate has another shape");
  require_similar(*operands[1], *operands[2]);
  return *operands[1];
}

Shape infer_clamp(OperandShapes operands) {
  require_count(operands, 3);
  for (const Shape* bound : {operands[0], operands[2]}) {
    require_similar(*bound, bound->rank() == 0 ? make_shape(operands[1]->element_type, {}) : *operands[1]);
  }
  return *operands[1];
}

bool is_binary(Opcode opcode) { return row(opcode).min_operands == 2; }

}  // namespace

Shape infer_elementwise(const Instruction& instruction, OperandShapes operands) {
  require(byte_width(instruction.shape.element_type) > 0, "is elementwise, but its result is no array");
  for (const Shape* operand : operands) {
    require(byte_width(operand->element_type) > 0, "is elementwise, but an operand is no array");
  }
  switch (instruction.opcode) {
    case Opcode::select:
      return infer_select(operands);
    case Opcode::clamp:
      return infer_clamp(operands);
    case Opcode::complex:
      return infer_complex(operands);
    case Opcode::stochastic_convert:
      require_count(operands, 2);
      require(operands[0]->dimensions == operands[1]->dimensions, "takes as many random numbers as values");
      return with_type(*operands[0], instruction.shape.element_type);
    default:
      break;
  }
  require_count(operands, is_binary(instruction.opcode) ? 2 : 1);
  if (operands.size() == 2) require_similar(*operands[0], *operands[1]);
  switch (instruction.opcode) {
    case Opcode::convert:
      return with_type(*operands[0], instruction.shape.element_type);
    case Opcode::compare:
    case Opcode::is_finite:
      return with_type(*operands[0], ElementType::pred);
    case Opcode::reduce_precision:
      require(is_floating_point(operands[0]->element_type), "reduces the precision of real numbers");
      require(instruction.exponent_bits >= 1 && instruction.mantissa_bits >= 0,
              "keeps at least one bit of the exponent and no fewer than 0 of the mantissa");
      break;
    case Opcode::real:
    case Opcode::imag:
      return with_type(*operands[0], part_of(operands[0]->element_type));
    case Opcode::abs: {
      const ElementType type = operands[0]->element_type;
      if (is_complex(type)) return with_type(*operands[0], part_of(type));
      break;
    }
    default:
      break;
  }
  return *operands[0];
}

}  // namespace podsim::hlo::rules
