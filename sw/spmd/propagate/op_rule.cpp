// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/op_rule.h"

#include <algorithm>
#include <utility>

#include "sw/ir/rules/annotation.h"
#include "sw/spmd/mesh/axis_sharding.h"
#include "sw/spmd/propagate/op_rule_builder.h"

namespace podsim::sw::spmd::propagate {
namespace {

using Kind = Factor::Kind;
using Place = OpRuleBuilder::Place;

/// Dimension `d` of every array that is not a scalar.
std::vector<Place> everywhere(const OpRuleBuilder& rule, int d) {
  std::vector<Place> dimensions;
  for (int array = 0; array < rule.operand_count(); ++array) {
    if (rule.operand(array).rank() > 0) dimensions.push_back(OpRuleBuilder::in(array, d));
  }
  for (int array = 0; array < rule.result_count(); ++array) {
    if (rule.result(array).rank() > 0) dimensions.push_back(OpRuleBuilder::out(array, d));
  }
  return dimensions;
}

/// Operands have the result's dimensions or are scalars. Dimension `apart` is whole.
void elementwise_rule(OpRuleBuilder& rule, int apart = -1) {
  for (int d = 0; d < rule.result(0).rank(); ++d) {
    if (d != apart) rule.join(Kind::parallel, everywhere(rule, d));
  }
}

/// The result's arrays are the operand arrays from number `first`.
void pass_rule(OpRuleBuilder& rule, int first = 0) {
  for (int array = 0; array < rule.result_count(); ++array) rule.join_arrays(first + array, array);
}

/// The result is one of two values of its shape.
void tuple_select_rule(OpRuleBuilder& rule) {
  const int count = rule.result_count();
  for (int array = 0; array < count; ++array) {
    for (int d = 0; d < rule.result(array).rank(); ++d) {
      rule.join(Kind::parallel, {OpRuleBuilder::in(1 + array, d), OpRuleBuilder::in(1 + count + array, d),
                                 OpRuleBuilder::out(array, d)});
    }
  }
}

void get_tuple_element_rule(OpRuleBuilder& rule, const ir::Shape& tuple) {
  int first = 0;
  for (std::int64_t i = 0; i < rule.instruction().index; ++i) {
    first += int(mesh::leaf_shapes(tuple.tuple_shapes[std::size_t(i)]).size());
  }
  pass_rule(rule, first);
}

/// Results whose elements do not depend on elements of operands.
void generated_rule(OpRuleBuilder& rule) {
  for (int array = 0; array < rule.result_count(); ++array) {
    for (int d = 0; d < rule.result(array).rank(); ++d) rule.join(Kind::special, {OpRuleBuilder::out(array, d)});
  }
}

void iota_rule(OpRuleBuilder& rule) {
  for (int d = 0; d < rule.result(0).rank(); ++d) {
    rule.join(d == rule.instruction().index ? Kind::special : Kind::parallel, {OpRuleBuilder::out(0, d)});
  }
}

/// The result is a state and bits, or only bits.
void rng_bit_generator_rule(OpRuleBuilder& rule) {
  const int bits = rule.result_count() - 1;
  for (int d = 0; d < rule.result(bits).rank(); ++d) rule.join(Kind::special, {OpRuleBuilder::out(bits, d)});
}

void broadcast_rule(OpRuleBuilder& rule) {
  const std::vector<std::int64_t>& mapped = rule.instruction().dimensions;
  for (int d = 0; d < rule.result(0).rank(); ++d) {
    std::vector<Place> dimensions;
    const auto found = std::ranges::find(mapped, d);
    if (found != mapped.end()) dimensions.push_back(OpRuleBuilder::in(0, int(found - mapped.begin())));
    dimensions.push_back(OpRuleBuilder::out(0, d));
    rule.join(Kind::parallel, dimensions);
  }
}

void transpose_rule(OpRuleBuilder& rule) {
  for (int d = 0; d < rule.result(0).rank(); ++d) {
    const auto from = int(rule.instruction().dimensions[std::size_t(d)]);
    rule.join(Kind::parallel, {OpRuleBuilder::in(0, from), OpRuleBuilder::out(0, d)});
  }
}

/// The last dimension of the operand is searched; the results have k elements along it.
void topk_rule(OpRuleBuilder& rule) { elementwise_rule(rule, rule.operand(0).rank() - 1); }

/// The last `apart` dimensions are transformed together.
void batched_rule(OpRuleBuilder& rule, int apart) {
  for (int d = 0; d + apart < rule.result(0).rank(); ++d) rule.join(Kind::parallel, everywhere(rule, d));
}

void triangular_solve_rule(OpRuleBuilder& rule) {
  batched_rule(rule, 2);
  // Every column (row, if the matrix is on the right) is solved independently.
  const int d = rule.result(0).rank() - (rule.instruction().triangular.left_side ? 1 : 2);
  rule.join(Kind::parallel, {OpRuleBuilder::in(1, d), OpRuleBuilder::out(0, d)});
}

/// Arrays of full rank share all dimensions; scale, offset and statistics have only the feature.
void batch_norm_rule(OpRuleBuilder& rule) {
  const auto feature = int(rule.instruction().index);
  const bool is_inference = rule.instruction().opcode == ir::Opcode::batch_norm_inference;
  const int rank = rule.result(0).rank();
  for (int d = 0; d < rank; ++d) {
    std::vector<Place> dimensions;
    const auto append = [&](bool is_result, int array, const ir::Shape& shape) {
      if (shape.rank() == rank)
        dimensions.push_back({is_result, array, d});
      else if (d == feature)
        dimensions.push_back({is_result, array, 0});
    };
    for (int array = 0; array < rule.operand_count(); ++array) append(false, array, rule.operand(array));
    for (int array = 0; array < rule.result_count(); ++array) append(true, array, rule.result(array));
    rule.join(d == feature || is_inference ? Kind::parallel : Kind::special, dimensions);
  }
}

/// True for custom calls that only annotate their operand.
bool hands_on(const OpRuleBuilder& rule) {
  const ir::rules::Annotation* const annotation = ir::rules::find_annotation(rule.instruction().target);
  return annotation != nullptr && annotation->same_sharding && rule.operand_count() == 1 && rule.result_count() == 1 &&
         rule.operand(0).dimensions == rule.result(0).dimensions;
}

void fill(OpRuleBuilder& rule, const ir::Computation& computation) {
  const ir::Instruction& instruction = rule.instruction();
  if (instruction.phase != ir::AsyncPhase::none) return;
  switch (instruction.opcode) {
    case ir::Opcode::tuple:
    case ir::Opcode::opt_barrier:
    case ir::Opcode::domain:
    case ir::Opcode::copy:
    case ir::Opcode::add_dependency:
    case ir::Opcode::all_reduce:
      return pass_rule(rule);
    case ir::Opcode::get_tuple_element:
      return get_tuple_element_rule(rule, computation[instruction.operands[0]].shape);
    case ir::Opcode::tuple_select:
      return tuple_select_rule(rule);
    case ir::Opcode::custom_call:
      return hands_on(rule) ? pass_rule(rule) : void();
    case ir::Opcode::map:
      return elementwise_rule(rule);
    case ir::Opcode::parameter:
    case ir::Opcode::constant:
    case ir::Opcode::infeed:
    case ir::Opcode::rng:
      return generated_rule(rule);
    case ir::Opcode::iota:
      return iota_rule(rule);
    case ir::Opcode::rng_bit_generator:
      return rng_bit_generator_rule(rule);
    case ir::Opcode::broadcast:
      return broadcast_rule(rule);
    case ir::Opcode::transpose:
      return transpose_rule(rule);
    case ir::Opcode::reshape:
      return reshape_rule(rule);
    case ir::Opcode::bitcast:
      return bitcast_rule(rule);
    case ir::Opcode::bitcast_convert:
      return bitcast_convert_rule(rule);
    case ir::Opcode::reverse:
      return reverse_rule(rule);
    case ir::Opcode::pad:
      return pad_rule(rule);
    case ir::Opcode::slice:
      return slice_rule(rule);
    case ir::Opcode::concatenate:
      return concatenate_rule(rule);
    case ir::Opcode::dynamic_slice:
      return dynamic_slice_rule(rule);
    case ir::Opcode::dynamic_update_slice:
      return dynamic_update_slice_rule(rule);
    case ir::Opcode::gather:
      return gather_rule(rule);
    case ir::Opcode::scatter:
      return scatter_rule(rule);
    case ir::Opcode::dot:
      return dot_rule(rule);
    case ir::Opcode::convolution:
      return convolution_rule(rule);
    case ir::Opcode::reduce:
      return reduce_rule(rule);
    case ir::Opcode::reduce_window:
      return reduce_window_rule(rule);
    case ir::Opcode::select_and_scatter:
      return select_and_scatter_rule(rule);
    case ir::Opcode::sort:
      return elementwise_rule(rule, int(instruction.dimensions[0]));
    case ir::Opcode::topk:
      return topk_rule(rule);
    case ir::Opcode::set_dimension_size:
      return elementwise_rule(rule, int(instruction.index));
    case ir::Opcode::fft:
      return batched_rule(rule, int(instruction.dimensions.size()));
    case ir::Opcode::cholesky:
      return batched_rule(rule, 2);
    case ir::Opcode::triangular_solve:
      return triangular_solve_rule(rule);
    case ir::Opcode::batch_norm_training:
    case ir::Opcode::batch_norm_inference:
    case ir::Opcode::batch_norm_grad:
      return batch_norm_rule(rule);
    default:
      if (ir::is_elementwise(instruction.opcode)) elementwise_rule(rule);
  }
}

}  // namespace

OpRule op_rule(const ir::Module& module, const ir::Computation& computation, ir::InstructionId id) {
  OpRuleBuilder rule(module, computation, id);
  fill(rule, computation);
  return std::move(rule).finish();
}

}  // namespace podsim::sw::spmd::propagate
