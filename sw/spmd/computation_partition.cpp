// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/computation_partition.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "sw/spmd/factor_cut.h"
#include "sw/spmd/leaves.h"
#include "sw/spmd/linear_op.h"
#include "sw/spmd/reshard.h"

namespace podsim::sw {

ComputationPartition::ComputationPartition(ModulePartition& parent, ComputationId id, GraphBuilder& builder)
    : parent_(parent),
      module_(parent.module()),
      id_(id),
      computation_(module_.computations[std::size_t(id)]),
      mesh_(parent.mesh()),
      builder_(builder),
      program_(builder, mesh_),
      users_(users_of(computation_)),
      values_(computation_.instructions.size()) {}

void ComputationPartition::fail(const Instruction& instruction, const std::string& what) const {
  const std::string place = instruction.op_name.empty() ? "" : fmt::format(" ({})", instruction.op_name);
  throw base::InputError(fmt::format("{}{} cannot be partitioned: {}", instruction.name, place, what));
}

InstructionId ComputationPartition::write(const std::vector<ValueSharding>& parameters, const ValueSharding& root) {
  write_parameters(parameters);
  for (InstructionId id = 0; id < int(values_.size()); ++id) {
    const Instruction& instruction = computation_[id];
    if (instruction.opcode == Opcode::parameter) continue;
    program_.advance_to(id, instruction.op_name);
    const GraphBuilder::Scope scope(builder_, instruction.op_name);
    values_[std::size_t(id)] = settled(id, write(id));
  }
  return in_shardings(computation_[computation_.root].shape, operand(computation_.root), root);
}

void ComputationPartition::write_parameters(const std::vector<ValueSharding>& shardings) {
  for (std::size_t i = 0; i < computation_.parameters.size(); ++i) {
    const Instruction& whole = computation_[computation_.parameters[i]];
    const GraphBuilder::Scope scope(builder_, whole.op_name);
    const InstructionId id = builder_.parameter(local_shape_of(whole.shape, shardings[i]), whole.name);
    if (id_ == module_.entry) builder_.annotate(id, to_hlo(mesh_, whole.shape, shardings[i]));
    values_[std::size_t(computation_.parameters[i])] = values_of(id, whole.shape, shardings[i]);
  }
}

Shape ComputationPartition::local_shape_of(const Shape& shape, const ValueSharding& shardings) const {
  std::vector<Shape> arrays;
  const std::vector<const Shape*> leaves = leaf_shapes(shape);
  for (std::size_t k = 0; k < leaves.size(); ++k) arrays.push_back(local_shape(mesh_, *leaves[k], shardings[k]));
  return shape_of(shape, arrays);
}

ComputationPartition::Values ComputationPartition::values_of(InstructionId id, const Shape& shape,
                                                             const ValueSharding& shardings) {
  Values values;
  const std::vector<const Shape*> leaves = leaf_shapes(shape);
  const std::vector<InstructionId> arrays = apart(builder_, id);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    values.push_back({arrays[k], *leaves[k], shardings[k], {}, Opcode::add});
  }
  return values;
}

InstructionId ComputationPartition::in_shardings(const Shape& shape, const Values& values,
                                                 const ValueSharding& shardings) {
  std::vector<InstructionId> arrays;
  for (std::size_t k = 0; k < values.size(); ++k) {
    // What is written behind all instructions belongs to where the value comes from.
    const GraphBuilder::Scope scope(builder_, builder_.scope().empty() ? builder_[values[k].id].op_name : "");
    arrays.push_back(reshard(program_, values[k], shardings[k]).id);
  }
  return together(builder_, shape, arrays);
}

const ComputationPartition::Values& ComputationPartition::operand(InstructionId id) {
  Values& values = values_[std::size_t(id)];
  const auto is_unreduced = [](const LocalValue& value) { return !value.unreduced.empty(); };
  if (std::ranges::none_of(values, is_unreduced)) return values;
  const ValueSharding shardings = wanted(id);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (is_unreduced(values[k])) values[k] = reshard(program_, values[k], shardings[k]);
  }
  return values;
}

ComputationPartition::Values ComputationPartition::operands(const Instruction& instruction) {
  Values all;
  for (const InstructionId id : instruction.operands) {
    const Values& values = operand(id);
    all.insert(all.end(), values.begin(), values.end());
  }
  // What costs nothing in any sharding has no part in the choice of one.
  for (LocalValue& value : all) {
    if (is_same_everywhere(builder_, value)) value = reshard(program_, value, replicated(value.shape.rank()));
  }
  return all;
}

/// Addends wait for the sum of sums that they are for, where the other operand is addends of the same sub-axes, or
/// looks as if it would be. Where a reduce-scatter would leave less to keep, they wait only if it is near. Other sums
/// are made at once and can go on beside what follows.
bool ComputationPartition::may_stay_unreduced(InstructionId id, const LocalValue& value,
                                              const AxisSharding& wanted_sharding) const {
  if (value.combiner != Opcode::add) return false;
  const std::optional<SumOfSums> sum = sum_of_sums(computation_, users_, id);
  if (!sum) return false;
  const auto cuts = [&](SubAxis sub_axis) { return wanted_sharding.uses(sub_axis); };
  const bool shrinks = std::ranges::any_of(value.unreduced, cuts);
  if (shrinks && sum->sum - id > LocalProgram::held_instructions) return false;
  if (sum->other > id) return looks_like_sum(computation_, sum->other);
  const Values& other = values_[std::size_t(sum->other)];
  return sum->other == id || (other.size() == 1 && other[0].unreduced == value.unreduced);
}

ComputationPartition::Values ComputationPartition::settled(InstructionId id, Values results) {
  const ValueSharding shardings = wanted(id);
  for (std::size_t k = 0; k < results.size(); ++k) {
    LocalValue& value = results[k];
    if (value.sharding == shardings[k] && value.unreduced.empty()) continue;
    if (value.sharding.manual != shardings[k].manual) {
      if (value.sharding.manual) fail(computation_[id], "every partition has a value of its own");
      if (!value.sharding.is_replicated())
        fail(computation_[id], "a shard is taken for a value of the partition's own");
    }
    const bool is_unreduced = !value.unreduced.empty();
    if (is_unreduced && may_stay_unreduced(id, value, shardings[k])) continue;
    // What was asked for is done where it was asked for; what costs nothing is done at once too, and leaves less to
    // keep.
    const bool is_annotated = computation_[id].sharding != nullptr;
    if (is_unreduced || is_annotated || reshard_bytes(mesh_, value.shape, value.sharding, {}, shardings[k]) == 0) {
      value = reshard(program_, value, shardings[k]);
    }
  }
  return results;
}

ComputationPartition::Values ComputationPartition::write(InstructionId id) {
  const Instruction& instruction = computation_[id];
  if (instruction.phase != AsyncPhase::none) fail(instruction, "it is a part of an asynchronous pair");
  if (instruction.opcode == Opcode::send || instruction.opcode == Opcode::recv) {
    fail(instruction, "it says by itself where its data goes");
  }
  if (is_collective(instruction.opcode)) return write_collective(id);
  switch (instruction.opcode) {
    case Opcode::fusion:
      fail(instruction, "a program is partitioned before it is fused");
    case Opcode::constant:
      return write_constant(id);
    case Opcode::tuple:
      return operands(instruction);
    case Opcode::get_tuple_element:
      return write_element(instruction);
    case Opcode::domain:
      return operand(instruction.operands[0]);
    case Opcode::copy:
      return instruction.shape.is_tuple() ? write_copy(instruction) : write_op(id);
    case Opcode::custom_call:
      return write_annotation(id);
    case Opcode::opt_barrier:
      return write_barrier(instruction);
    case Opcode::tuple_select:
      return write_tuple_select(instruction);
    case Opcode::infeed:
      return write_infeed(id);
    case Opcode::outfeed:
      return write_outfeed(instruction);
    case Opcode::partition_id:
    case Opcode::replica_id:
      return write_device_number(id);
    case Opcode::get_dimension_size:
      return write_dimension_size(instruction);
    case Opcode::while_loop:
      return write_while(id);
    case Opcode::conditional:
      return write_conditional(id);
    case Opcode::call:
      return write_call(id);
    default:
      return write_op(id);
  }
}

ComputationPartition::Values ComputationPartition::write_op(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const auto is_manual = [](const LocalValue& value) { return value.sharding.manual; };
  const ValueSharding shardings = wanted(id);
  if (is_linear(instruction.opcode)) {
    Values held;
    for (const InstructionId from : instruction.operands) held.push_back(values_[std::size_t(from)].front());
    const OpToPartition op{module_, computation_, id, std::move(held), shardings, parent_.options()};
    if (const std::optional<LocalValue> sum = partition_linear(program_, op)) return {*sum};
  }
  Values all = operands(instruction);
  if (std::ranges::any_of(all, is_manual) || std::ranges::any_of(shardings, &AxisSharding::manual)) {
    return write_manual(id);
  }
  const auto is_cut = [](const LocalValue& value) { return !value.sharding.is_replicated(); };
  if (instruction.opcode == Opcode::unknown && std::ranges::any_of(all, is_cut)) {
    fail(instruction, fmt::format("nothing is known of '{}', and its operands are cut", instruction.target));
  }
  return partition_op(program_, {module_, computation_, id, std::move(all), shardings, parent_.options()});
}

ComputationPartition::Values ComputationPartition::write_manual(InstructionId id) {
  const Instruction& instruction = computation_[id];
  Instruction local = attributes_of(instruction);
  bool has_manual = instruction.operands.empty();
  for (const InstructionId from : instruction.operands) {
    ValueSharding shardings;
    for (const LocalValue& value : operand(from)) {
      has_manual = has_manual || value.sharding.manual;
      shardings.push_back(value.sharding.manual ? manual(value.shape.rank()) : replicated(value.shape.rank()));
    }
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), shardings));
  }
  for (ComputationId& function : local.called) function = program_.called(module_, function);
  const InstructionId result = builder_.add(std::move(local));
  ValueSharding shardings = replicated(instruction.shape);
  for (AxisSharding& sharding : shardings) sharding.manual = has_manual;
  return values_of(result, instruction.shape, shardings);
}

}  // namespace podsim::sw
