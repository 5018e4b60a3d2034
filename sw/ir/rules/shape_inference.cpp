// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/rules/shape_inference.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "sw/ir/literal.h"
#include "sw/ir/rules/collective_shape.h"
#include "sw/ir/rules/contraction_shape.h"
#include "sw/ir/rules/control_shape.h"
#include "sw/ir/rules/elementwise_shape.h"
#include "sw/ir/rules/gather_shape.h"
#include "sw/ir/rules/linear_algebra_shape.h"
#include "sw/ir/rules/rearrangement_shape.h"
#include "sw/ir/rules/reduction_shape.h"

namespace podsim::sw::ir::rules {

namespace {

/// The shape of the only operand.
Shape same(OperandShapes operands) {
  require_count(operands, 1);
  return *operands[0];
}

Shape infer_get_dimension_size(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 1);
  require(instruction.index >= 0 && instruction.index < operands[0]->rank(), "no such dimension");
  return make_shape(ElementType::s32, {});
}

Shape infer_set_dimension_size(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 2);
  require(instruction.index >= 0 && instruction.index < operands[0]->rank(), "no such dimension");
  require_scalar(*operands[1]);
  return *operands[0];
}

Shape infer_add_dependency(OperandShapes operands) {
  require_count(operands, 2);
  return *operands[0];
}

Shape infer_opt_barrier(OperandShapes operands) {
  require_at_least(operands, 1);
  return operands_together(operands);
}

Shape infer_tuple_select(OperandShapes operands) {
  require_count(operands, 3);
  require_compatible(*operands[0], make_shape(ElementType::pred, {}));
  require_compatible(*operands[1], *operands[2]);
  return *operands[1];
}

Shape infer_id(OperandShapes operands) {
  require_count(operands, 0);
  return make_shape(ElementType::u32, {});
}

Shape infer_rng_bit_generator(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 1);
  require_array(*operands[0]);
  const Shape& written = instruction.shape;
  require(!written.is_tuple() || (written.tuple_shapes.size() == 2 && written.tuple_shapes[0].compatible(*operands[0])),
          "gives the new state and random bits");
  return written;
}

/// Rules of opcodes outside the families of arrays: control flow, tuples, tokens, device ids.
Shape infer_other(const Instruction& instruction, OperandShapes operands, Computations computations) {
  switch (instruction.opcode) {
    case Opcode::domain:
      return same(operands);
    case Opcode::add_dependency:
      return infer_add_dependency(operands);
    case Opcode::opt_barrier:
      return infer_opt_barrier(operands);
    case Opcode::tuple_select:
      return infer_tuple_select(operands);
    case Opcode::after_all:
      return make_shape(ElementType::token, {});
    case Opcode::partition_id:
    case Opcode::replica_id:
      return infer_id(operands);
    case Opcode::get_dimension_size:
      return infer_get_dimension_size(instruction, operands);
    case Opcode::set_dimension_size:
      return infer_set_dimension_size(instruction, operands);
    case Opcode::rng_bit_generator:
      return infer_rng_bit_generator(instruction, operands);
    case Opcode::tuple:
      return infer_tuple(operands);
    case Opcode::get_tuple_element:
      return infer_get_tuple_element(instruction, operands);
    case Opcode::fusion:
    case Opcode::call:
      return infer_call(instruction, operands, computations);
    case Opcode::while_loop:
      return infer_while(instruction, operands, computations);
    case Opcode::conditional:
      return infer_conditional(instruction, operands, computations);
    default:
      // parameter, constant, infeed, outfeed, rng, custom-call, recv-done and unknown opcodes: as written.
      return instruction.shape;
  }
}

Shape infer_array(const Instruction& instruction, OperandShapes operands, Computations computations) {
  switch (instruction.opcode) {
    case Opcode::iota:
      return infer_iota(instruction, operands);
    case Opcode::broadcast:
      return infer_broadcast(instruction, operands);
    case Opcode::reshape:
      return infer_reshape(instruction, operands);
    case Opcode::bitcast:
      return infer_bitcast(instruction, operands);
    case Opcode::bitcast_convert:
      return infer_bitcast_convert(instruction, operands);
    case Opcode::transpose:
      return infer_transpose(instruction, operands);
    case Opcode::reverse:
      return infer_reverse(instruction, operands);
    case Opcode::pad:
      return infer_pad(instruction, operands);
    case Opcode::slice:
      return infer_slice(instruction, operands);
    case Opcode::dynamic_slice:
      return infer_dynamic_slice(instruction, operands);
    case Opcode::dynamic_update_slice:
      return infer_dynamic_update_slice(instruction, operands);
    case Opcode::concatenate:
      return infer_concatenate(instruction, operands);
    case Opcode::gather:
      return infer_gather(instruction, operands);
    case Opcode::scatter:
      return infer_scatter(instruction, operands, computations);
    case Opcode::convolution:
      return infer_convolution(instruction, operands);
    case Opcode::dot:
      return infer_dot(instruction, operands);
    case Opcode::reduce:
      return infer_reduce(instruction, operands, computations);
    case Opcode::reduce_window:
      return infer_reduce_window(instruction, operands, computations);
    case Opcode::select_and_scatter:
      return infer_select_and_scatter(instruction, operands, computations);
    case Opcode::sort:
      return infer_sort(instruction, operands, computations);
    case Opcode::topk:
      return infer_topk(instruction, operands);
    case Opcode::map:
      return infer_map(instruction, operands, computations);
    case Opcode::cholesky:
      return infer_cholesky(operands);
    case Opcode::triangular_solve:
      return infer_triangular_solve(instruction, operands);
    case Opcode::fft:
      return infer_fft(instruction, operands);
    case Opcode::batch_norm_grad:
    case Opcode::batch_norm_inference:
    case Opcode::batch_norm_training:
      return infer_batch_norm(instruction, operands);
    default:
      return infer_other(instruction, operands, computations);
  }
}

}  // namespace

Shape infer_shape(const Instruction& instruction, OperandShapes operands, Computations computations) {
  if (instruction.phase == AsyncPhase::done) return same(operands);
  // copy is elementwise on arrays but also takes tuples.
  if (instruction.opcode == Opcode::copy) return same(operands);
  if (is_elementwise(instruction.opcode)) return infer_elementwise(instruction, operands);
  if (is_collective(instruction.opcode)) return infer_collective(instruction, operands, computations);
  return infer_array(instruction, operands, computations);
}

namespace {

bool same_structure(const Shape& a, const Shape& b) {
  return (byte_width(a.element_type) == 0 ? a.element_type == b.element_type : byte_width(b.element_type) != 0) &&
         a.rank() == b.rank() && std::ranges::equal(a.tuple_shapes, b.tuple_shapes, same_structure);
}

}  // namespace

void verify_shape(const Instruction& instruction, const Computation& computation, Computations preceding) {
  std::vector<const Shape*> operands;
  for (const InstructionId operand : instruction.operands) operands.push_back(&computation[operand].shape);
  const Shape shape = infer_shape(instruction, operands, preceding);
  if (!similar(shape, instruction.shape)) {
    const std::string difference =
        fmt::format("has shape {}, its operands give {}", to_string(instruction.shape), to_string(shape));
    if (same_structure(shape, instruction.shape)) throw ShapeDifference(difference);
    throw std::logic_error(difference);
  }
  if (instruction.opcode == Opcode::constant && instruction.literal && !instruction.literal->shape.compatible(shape)) {
    throw std::logic_error("constant with a value of another shape");
  }
}

}  // namespace podsim::sw::ir::rules
