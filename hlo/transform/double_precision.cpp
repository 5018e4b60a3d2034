// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/double_precision.h"

#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hlo/literal.h"

namespace podsim::hlo::transform {

namespace {

ElementType raised_type(ElementType type) {
  if (is_floating_point(type)) return ElementType::f64;
  return is_complex(type) ? ElementType::c128 : type;
}

/// Layouts are of the narrower type, and left out.
Shape raised_shape(const Shape& shape) {
  if (!shape.is_tuple()) return make_shape(raised_type(shape.element_type), shape.dimensions);
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes) elements.push_back(raised_shape(element));
  return make_tuple_shape(std::move(elements));
}

Literal raised_literal(Literal literal) {
  literal.shape = raised_shape(literal.shape);
  for (Literal& element : literal.elements) element = raised_literal(std::move(element));
  return literal;
}

/// One computation, written anew.
class Raising {
 public:
  Computation raised(const Computation& from) {
    Computation to;
    to.name = from.name;
    std::vector<InstructionId> values;
    for (const Instruction& instruction : from.instructions) {
      Instruction copy = instruction;
      for (InstructionId& operand : copy.operands) operand = values[std::size_t(operand)];
      values.push_back(instruction.opcode == Opcode::bitcast_convert
                           ? with_bits_kept(std::move(copy), from[instruction.operands[0]].shape)
                           : append(raised(std::move(copy))));
    }
    to.instructions = std::move(written_);
    to.root = values[std::size_t(from.root)];
    for (const InstructionId parameter : from.parameters) to.parameters.push_back(values[std::size_t(parameter)]);
    return to;
  }

 private:
  static Instruction raised(Instruction instruction) {
    instruction.shape = raised_shape(instruction.shape);
    if (instruction.literal) {
      instruction.literal = std::make_shared<const Literal>(raised_literal(*instruction.literal));
    }
    if (instruction.opcode == Opcode::reduce_precision) {
      instruction.opcode = Opcode::copy;
      instruction.exponent_bits = instruction.mantissa_bits = 0;
    } else if (instruction.opcode == Opcode::stochastic_convert && is_floating_point(instruction.shape.element_type)) {
      instruction.opcode = Opcode::convert;
      instruction.operands.resize(1);
    }
    return instruction;
  }

  InstructionId append(Instruction instruction) {
    written_.push_back(std::move(instruction));
    return InstructionId(written_.size()) - 1;
  }

  InstructionId converted(InstructionId x, const Shape& shape, const std::string& name) {
    if (written_[std::size_t(x)].shape.element_type == shape.element_type) return x;
    Instruction convert;
    convert.opcode = Opcode::convert;
    convert.name = name;
    convert.operands = {x};
    convert.shape = make_shape(shape.element_type, shape.dimensions);
    return append(std::move(convert));
  }

  InstructionId with_bits_kept(Instruction instruction, const Shape& operand) {
    const std::string name = instruction.name;
    instruction.operands[0] = converted(instruction.operands[0], operand, name + ".operand");
    const Shape raised = raised_shape(instruction.shape);
    instruction.name = name + ".bits";
    return converted(append(std::move(instruction)), raised, name);
  }

  std::vector<Instruction> written_;
};

}  // namespace

Module in_double_precision(const Module& module) {
  Module raised = module;
  for (Computation& computation : raised.computations) computation = Raising().raised(computation);
  return raised;
}

}  // namespace podsim::hlo::transform
