// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/shape_inference.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "hlo/literal.h"
#include "hlo/op_table.h"
#include "hlo/rules/collective_shape.h"
#include "hlo/rules/contraction_shape.h"
#include "hlo/rules/control_shape.h"
#include "hlo/rules/elementwise_shape.h"
#include "hlo/rules/gather_shape.h"
#include "hlo/rules/linear_algebra_shape.h"
#include "hlo/rules/rearrangement_shape.h"
#include "hlo/rules/reduction_shape.h"

namespace podsim::hlo::rules {

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

Shape infer_token(OperandShapes) { return make_shape(ElementType::token, {}); }

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

/// The shape of a result. Rules take what they need of an instruction, its operands' shapes and the computations before
/// its own.
using ShapeRule = Shape (*)(const Instruction&, OperandShapes, Computations);

template <auto rule>
Shape by(const Instruction& instruction, OperandShapes operands, Computations computations) {
  using Rule = decltype(rule);
  if constexpr (std::is_invocable_v<Rule, OperandShapes>) {
    return rule(operands);
  } else if constexpr (std::is_invocable_v<Rule, const Instruction&, OperandShapes>) {
    return rule(instruction, operands);
  } else {
    return rule(instruction, operands, computations);
  }
}

template <auto rule, class... Opcodes>
consteval auto by_rule(Opcodes... opcodes) {
  return yes<ShapeRule>(by<rule>, opcodes...);
}

constexpr OpTable<ShapeRule> shape_rules({
    of_elementwise<ShapeRule>({by<infer_elementwise>}, Opcode::copy),
    of_collectives<ShapeRule>({by<infer_collective>}),
    by_rule<same>(Opcode::copy, Opcode::domain),  // of arrays and of tuples
    by_rule<infer_iota>(Opcode::iota),
    by_rule<infer_broadcast>(Opcode::broadcast),
    by_rule<infer_reshape>(Opcode::reshape),
    by_rule<infer_bitcast>(Opcode::bitcast),
    by_rule<infer_bitcast_convert>(Opcode::bitcast_convert),
    by_rule<infer_transpose>(Opcode::transpose),
    by_rule<infer_reverse>(Opcode::reverse),
    by_rule<infer_pad>(Opcode::pad),
    by_rule<infer_slice>(Opcode::slice),
    by_rule<infer_dynamic_slice>(Opcode::dynamic_slice),
    by_rule<infer_dynamic_update_slice>(Opcode::dynamic_update_slice),
    by_rule<infer_concatenate>(Opcode::concatenate),
    by_rule<infer_gather>(Opcode::gather),
    by_rule<infer_scatter>(Opcode::scatter),
    by_rule<infer_convolution>(Opcode::convolution),
    by_rule<infer_dot>(Opcode::dot),
    by_rule<infer_ragged_dot>(Opcode::ragged_dot),
    by_rule<infer_reduce>(Opcode::reduce),
    by_rule<infer_reduce_window>(Opcode::reduce_window),
    by_rule<infer_select_and_scatter>(Opcode::select_and_scatter),
    by_rule<infer_sort>(Opcode::sort),
    by_rule<infer_topk>(Opcode::topk),
    by_rule<infer_map>(Opcode::map),
    by_rule<infer_cholesky>(Opcode::cholesky),
    by_rule<infer_triangular_solve>(Opcode::triangular_solve),
    by_rule<infer_fft>(Opcode::fft),
    by_rule<infer_batch_norm>(Opcode::batch_norm_grad, Opcode::batch_norm_inference, Opcode::batch_norm_training),
    by_rule<infer_add_dependency>(Opcode::add_dependency),
    by_rule<infer_opt_barrier>(Opcode::opt_barrier),
    by_rule<infer_tuple_select>(Opcode::tuple_select),
    by_rule<infer_token>(Opcode::after_all),
    by_rule<infer_id>(Opcode::partition_id, Opcode::replica_id),
    by_rule<infer_get_dimension_size>(Opcode::get_dimension_size),
    by_rule<infer_set_dimension_size>(Opcode::set_dimension_size),
    by_rule<infer_rng_bit_generator>(Opcode::rng_bit_generator),
    by_rule<infer_tuple>(Opcode::tuple),
    by_rule<infer_get_tuple_element>(Opcode::get_tuple_element),
    by_rule<infer_call>(Opcode::fusion, Opcode::call),
    by_rule<infer_while>(Opcode::while_loop),
    by_rule<infer_conditional>(Opcode::conditional),
    no<ShapeRule>("it says its shape itself", Opcode::parameter, Opcode::constant, Opcode::infeed, Opcode::outfeed,
                  Opcode::rng, Opcode::rng_get_and_update_state),
    no<ShapeRule>("it has a shape that only its implementation knows", Opcode::custom_call),
    no<ShapeRule>("it has the shape that the other program sends", Opcode::send, Opcode::send_done, Opcode::recv,
                  Opcode::recv_done),
    no_of_text_forms<ShapeRule>(),
    no<ShapeRule>("it is taken as the text says", Opcode::dynamic_reshape, Opcode::scaled_dot, Opcode::scan),
});

}  // namespace

const char* why_no_shape_rule(Opcode opcode) { return shape_rules.why_not(opcode); }

Shape infer_shape(const Instruction& instruction, OperandShapes operands, Computations computations) {
  if (instruction.phase == AsyncPhase::done) return same(operands);
  if (instruction.opcode == Opcode::unknown) return instruction.shape;
  const OpAnswer<ShapeRule>& answer = shape_rules[instruction.opcode];
  return answer ? answer.rule(instruction, operands, computations) : instruction.shape;
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

}  // namespace podsim::hlo::rules
