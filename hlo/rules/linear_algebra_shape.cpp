// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/linear_algebra_shape.h"

namespace podsim::hlo::rules {

namespace {

void require_square(const Shape& shape) {
  require_array(shape);
  require(shape.rank() >= 2 && shape.dimensions.back() == shape.dimensions[shape.dimensions.size() - 2],
          "needs square matrices in the last two dimensions");
}

bool is_real_transform(const Instruction& instruction) { return instruction.target == "RFFT"; }
bool is_inverse_real_transform(const Instruction& instruction) { return instruction.target == "IRFFT"; }

}  // namespace

Shape infer_cholesky(OperandShapes operands) {
  require_count(operands, 1);
  require_square(*operands[0]);
  return *operands[0];
}

Shape infer_triangular_solve(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 2);
  require_square(*operands[0]);
  const Shape &a = *operands[0], &b = *operands[1];
  require(b.rank() == a.rank() && similar(b.element_type, a.element_type), "operands differ in rank or type");
  for (int i = 0; i + 2 < a.rank(); ++i) require(a.dimensions[i] == b.dimensions[i], "batch sizes differ");
  const std::size_t side = b.dimensions.size() - (instruction.triangular.left_side ? 2 : 1);
  require(b.dimensions[side] == a.dimensions.back(), "the sides do not fit");
  return b;
}

Shape infer_fft(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 1);
  require_array(*operands[0]);
  const std::vector<std::int64_t>& lengths = instruction.dimensions;
  require(!lengths.empty() && lengths.size() <= 3 && int(lengths.size()) <= operands[0]->rank(),
          "transforms one to three dimensions");
  const bool halves = is_real_transform(instruction), doubles = is_inverse_real_transform(instruction);
  Shape shape = make_shape(operands[0]->element_type, operands[0]->dimensions);
  require(is_complex(shape.element_type) != halves, "the operand has the wrong type for this transform");
  const std::int64_t half = lengths.back() / 2 + 1;
  const std::size_t first = shape.dimensions.size() - lengths.size();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const bool last = i + 1 == lengths.size();
    require(shape.dimensions[first + i] == (doubles && last ? half : lengths[i]), "a length is not the operand's");
  }
  if (halves) {
    shape.element_type = shape.element_type == ElementType::f64 ? ElementType::c128 : ElementType::c64;
    shape.dimensions.back() = half;
  } else if (doubles) {
    shape.element_type = shape.element_type == ElementType::c128 ? ElementType::f64 : ElementType::f32;
    shape.dimensions.back() = lengths.back();
  }
  return shape;
}

Shape infer_batch_norm(const Instruction& instruction, OperandShapes operands) {
  const bool training = instruction.opcode == Opcode::batch_norm_training;
  require_count(operands, training ? 3 : 5);
  const Shape& x = *operands[0];
  require_array(x);
  require(is_floating_point(x.element_type), "normalises real numbers");
  require(instruction.index >= 0 && instruction.index < x.rank(), "feature_index out of range");
  const Shape vector = make_shape(operands[1]->element_type, {x.dimensions[std::size_t(instruction.index)]});
  const bool gradient = instruction.opcode == Opcode::batch_norm_grad;
  for (const Shape* operand : operands.subspan(1, gradient ? 3 : operands.size() - 1)) {
    require_similar(*operand, vector);
  }
  if (gradient) require_similar(*operands[4], x);
  if (instruction.opcode == Opcode::batch_norm_inference) return x;
  return make_tuple_shape({x, vector, vector});
}

}  // namespace podsim::hlo::rules
