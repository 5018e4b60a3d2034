// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/op_rule.h"

#include <algorithm>
#include <utility>

#include "hlo/op_table.h"
#include "hlo/rules/annotation.h"
#include "hlo/spmd/mesh/axis_sharding.h"
#include "hlo/spmd/propagate/op_rule_builder.h"

namespace podsim::hlo::spmd::propagate {
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

void get_tuple_element_rule(OpRuleBuilder& rule) {
  const hlo::Shape& tuple = rule.operand_shape(0);
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

/// Rows along the sorted dimension are whole.
void sort_rule(OpRuleBuilder& rule) { elementwise_rule(rule, int(rule.instruction().dimensions[0])); }

void set_dimension_size_rule(OpRuleBuilder& rule) { elementwise_rule(rule, int(rule.instruction().index)); }

/// The last `apart` dimensions are transformed together.
void batched_rule(OpRuleBuilder& rule, int apart) {
  for (int d = 0; d + apart < rule.result(0).rank(); ++d) rule.join(Kind::parallel, everywhere(rule, d));
}

void fft_rule(OpRuleBuilder& rule) { batched_rule(rule, int(rule.instruction().dimensions.size())); }

void cholesky_rule(OpRuleBuilder& rule) { batched_rule(rule, 2); }

void triangular_solve_rule(OpRuleBuilder& rule) {
  batched_rule(rule, 2);
  // Every column (row, if the matrix is on the right) is solved independently.
  const int d = rule.result(0).rank() - (rule.instruction().triangular.left_side ? 1 : 2);
  rule.join(Kind::parallel, {OpRuleBuilder::in(1, d), OpRuleBuilder::out(0, d)});
}

/// Arrays of full rank share all dimensions; scale, offset and statistics have only the feature.
void batch_norm_rule(OpRuleBuilder& rule) {
  const auto feature = int(rule.instruction().index);
  const bool is_inference = rule.instruction().opcode == hlo::Opcode::batch_norm_inference;
  const int rank = rule.result(0).rank();
  for (int d = 0; d < rank; ++d) {
    std::vector<Place> dimensions;
    const auto append = [&](bool is_result, int array, const hlo::Shape& shape) {
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
  const rules::Annotation* const annotation = rules::find_annotation(rule.instruction().target);
  return annotation != nullptr && annotation->same_sharding && rule.operand_count() == 1 && rule.result_count() == 1 &&
         rule.operand(0).dimensions == rule.result(0).dimensions;
}

/// Collectives among partitions work on shards, whose other dimensions may be divided further. Those among replicas and
/// those of several arrays have no rule.
void shards_rule(OpRuleBuilder& rule) {
  const hlo::Instruction& instruction = rule.instruction();
  const bool is_single = rule.operand_count() == 1 && rule.result_count() == 1;
  if (!is_single || !instruction.participants->channel_id || rule.operand(0).rank() != rule.result(0).rank()) return;
  elementwise_rule(rule, instruction.dimensions.empty() ? -1 : int(instruction.dimensions[0]));
}

void custom_call_rule(OpRuleBuilder& rule) {
  if (hands_on(rule)) pass_rule(rule);
}

using ShardingRule = void (*)(OpRuleBuilder& rule);

constexpr ShardingRule same_arrays = [](OpRuleBuilder& rule) { pass_rule(rule); };
constexpr ShardingRule elementwise = [](OpRuleBuilder& rule) { elementwise_rule(rule); };

constexpr OpTable<ShardingRule> sharding_rules({
    of_elementwise<ShardingRule>({elementwise}, Opcode::copy),
    yes<ShardingRule>(elementwise, Opcode::map),
    yes<ShardingRule>(same_arrays, Opcode::tuple, Opcode::opt_barrier, Opcode::domain, Opcode::copy,
                      Opcode::add_dependency, Opcode::all_reduce),
    yes<ShardingRule>(get_tuple_element_rule, Opcode::get_tuple_element),
    yes<ShardingRule>(tuple_select_rule, Opcode::tuple_select),
    yes<ShardingRule>(custom_call_rule, Opcode::custom_call),
    yes<ShardingRule>(generated_rule, Opcode::parameter, Opcode::constant, Opcode::infeed, Opcode::rng),
    yes<ShardingRule>(iota_rule, Opcode::iota),
    yes<ShardingRule>(rng_bit_generator_rule, Opcode::rng_bit_generator),
    yes<ShardingRule>(broadcast_rule, Opcode::broadcast),
    yes<ShardingRule>(transpose_rule, Opcode::transpose),
    yes<ShardingRule>(reshape_rule, Opcode::reshape),
    yes<ShardingRule>(bitcast_rule, Opcode::bitcast),
    yes<ShardingRule>(bitcast_convert_rule, Opcode::bitcast_convert),
    yes<ShardingRule>(reverse_rule, Opcode::reverse),
    yes<ShardingRule>(pad_rule, Opcode::pad),
    yes<ShardingRule>(slice_rule, Opcode::slice),
    yes<ShardingRule>(concatenate_rule, Opcode::concatenate),
    yes<ShardingRule>(dynamic_slice_rule, Opcode::dynamic_slice),
    yes<ShardingRule>(dynamic_update_slice_rule, Opcode::dynamic_update_slice),
    yes<ShardingRule>(gather_rule, Opcode::gather),
    yes<ShardingRule>(scatter_rule, Opcode::scatter),
    yes<ShardingRule>(dot_rule, Opcode::dot),
    yes<ShardingRule>(convolution_rule, Opcode::convolution),
    yes<ShardingRule>(reduce_rule, Opcode::reduce),
    yes<ShardingRule>(reduce_window_rule, Opcode::reduce_window),
    yes<ShardingRule>(select_and_scatter_rule, Opcode::select_and_scatter),
    yes<ShardingRule>(sort_rule, Opcode::sort),
    yes<ShardingRule>(topk_rule, Opcode::topk),
    yes<ShardingRule>(set_dimension_size_rule, Opcode::set_dimension_size),
    yes<ShardingRule>(fft_rule, Opcode::fft),
    yes<ShardingRule>(cholesky_rule, Opcode::cholesky),
    yes<ShardingRule>(triangular_solve_rule, Opcode::triangular_solve),
    yes<ShardingRule>(batch_norm_rule, Opcode::batch_norm_training, Opcode::batch_norm_inference,
                      Opcode::batch_norm_grad),
    no<ShardingRule>("it hands shardings on from and to the computations that it calls", Opcode::call,
                     Opcode::conditional, Opcode::while_loop),
    no<ShardingRule>("it is written by a compiler after partitioning", Opcode::fusion),
    yes<ShardingRule>(shards_rule, Opcode::all_gather, Opcode::all_to_all, Opcode::collective_broadcast,
                      Opcode::collective_permute, Opcode::reduce_scatter),
    no<ShardingRule>("it has the groups of devices that its text says", Opcode::ragged_all_to_all),
    no<ShardingRule>("it exchanges whole values with the host or another program", Opcode::outfeed, Opcode::send,
                     Opcode::send_done, Opcode::recv, Opcode::recv_done),
    no<ShardingRule>("it has no array to split", Opcode::after_all, Opcode::get_dimension_size, Opcode::partition_id,
                     Opcode::replica_id, Opcode::rng_get_and_update_state),
    no<ShardingRule>("it is whole on every device", Opcode::dynamic_reshape, Opcode::ragged_dot, Opcode::scaled_dot,
                     Opcode::scan),
    no_of_text_forms<ShardingRule>(),
});

}  // namespace

const char* why_no_sharding_rule(Opcode opcode) { return sharding_rules.why_not(opcode); }

OpRule op_rule(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id) {
  OpRuleBuilder rule(module, computation, id);
  const hlo::Instruction& instruction = computation[id];
  if (instruction.phase == hlo::AsyncPhase::none && instruction.opcode != hlo::Opcode::unknown) {
    if (const OpAnswer<ShardingRule>& answer = sharding_rules[instruction.opcode]) answer.rule(rule);
  }
  return std::move(rule).finish();
}

}  // namespace podsim::hlo::spmd::propagate
