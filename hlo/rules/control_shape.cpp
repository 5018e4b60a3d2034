// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/control_shape.h"

namespace podsim::hlo::rules {

Shape infer_tuple(OperandShapes operands) {
  std::vector<Shape> shapes;
  for (const Shape* operand : operands) shapes.push_back(*operand);
  return make_tuple_shape(std::move(shapes));
}

Shape infer_get_tuple_element(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 1);
  require(operands[0]->is_tuple() && instruction.index >= 0 &&
              instruction.index < std::int64_t(operands[0]->tuple_shapes.size()),
          "no such tuple element");
  return operands[0]->tuple_shapes[std::size_t(instruction.index)];
}

Shape infer_call(const Instruction& instruction, OperandShapes operands, Computations computations) {
  const Computation& body = called_computation(instruction, 0, computations);
  require_parameters(body, operands);
  return body[body.root].shape;
}

Shape infer_while(const Instruction& instruction, OperandShapes operands, Computations computations) {
  require_count(operands, 1);
  const Computation& condition = called_computation(instruction, 0, computations);
  const Computation& body = called_computation(instruction, 1, computations);
  require_parameters(condition, operands);
  require_parameters(body, operands);
  require_similar(condition[condition.root].shape, make_shape(ElementType::pred, {}));
  require_similar(body[body.root].shape, *operands[0]);
  return *operands[0];
}

Shape infer_conditional(const Instruction& instruction, OperandShapes operands, Computations computations) {
  require(!operands.empty() && operands.size() == instruction.called.size() + 1 && operands.size() > 1,
          "takes an index and an operand for every branch");
  const bool two = operands[0]->element_type == ElementType::pred;
  require_scalar(*operands[0]);
  require(two || is_integer(operands[0]->element_type), "branches on a pred or an integer");
  require(!two || instruction.called.size() == 2, "a pred has two branches");
  const Computation& first = called_computation(instruction, 0, computations);
  for (std::size_t i = 0; i < instruction.called.size(); ++i) {
    const Computation& branch = called_computation(instruction, i, computations);
    require_parameters(branch, operands.subspan(i + 1, 1));
    require_similar(branch[branch.root].shape, first[first.root].shape);
  }
  return first[first.root].shape;
}

}  // namespace podsim::hlo::rules
