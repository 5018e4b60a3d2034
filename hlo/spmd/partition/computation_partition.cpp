// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/computation_partition.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hlo/rules/instruction_error.h"
#include "hlo/spmd/partition/factor_split.h"
#include "hlo/spmd/partition/leaves.h"
#include "hlo/spmd/partition/linear_op.h"
#include "hlo/spmd/reshard/reshard.h"

namespace podsim::hlo::spmd::partition {

namespace {

bool is_unreduced(const reshard::LocalValue& value) { return !value.unreduced.empty(); }

}  // namespace

ComputationPartition::ComputationPartition(ModulePartition& parent, hlo::ComputationId id, build::GraphBuilder& builder)
    : parent_(parent),
      module_(parent.module()),
      id_(id),
      computation_(module_.computations[std::size_t(id)]),
      mesh_(parent.mesh()),
      builder_(builder),
      program_(builder, mesh_, parent.options().tile_by_tile),
      users_(hlo::users_of(computation_)),
      values_(computation_.instructions.size()),
      is_unreduced_(computation_.instructions.size()) {}

void ComputationPartition::fail(const hlo::Instruction& instruction, const std::string& what) const {
  const std::string place = instruction.op_name.empty() ? "" : fmt::format(" ({})", instruction.op_name);
  throw rules::InstructionError(instruction.name,
                                fmt::format("{}{} cannot be partitioned: {}", instruction.name, place, what));
}

hlo::InstructionId ComputationPartition::write(const std::vector<mesh::ValueSharding>& parameters,
                                               const mesh::ValueSharding& root) {
  write_parameters(parameters);
  for (hlo::InstructionId id = 0; id < int(values_.size()); ++id) {
    const hlo::Instruction& instruction = computation_[id];
    if (instruction.opcode == hlo::Opcode::parameter) continue;
    program_.advance_to(id, instruction.op_name);
    const build::GraphBuilder::Scope scope(builder_, instruction.op_name, instruction.source);
    rules::at_instruction(instruction.name, "partitioned", [&] { values_[std::size_t(id)] = settled(id, write(id)); });
    is_unreduced_[std::size_t(id)] = std::ranges::any_of(values_[std::size_t(id)], is_unreduced);
  }
  return in_shardings(computation_[computation_.root].shape, operand(computation_.root), root);
}

void ComputationPartition::write_parameters(const std::vector<mesh::ValueSharding>& shardings) {
  for (std::size_t i = 0; i < computation_.parameters.size(); ++i) {
    const hlo::Instruction& whole = computation_[computation_.parameters[i]];
    const build::GraphBuilder::Scope scope(builder_, whole.op_name, whole.source);
    const hlo::InstructionId id = builder_.parameter(local_shape_of(whole.shape, shardings[i]), whole.name);
    if (id_ == module_.entry) builder_.annotate(id, mesh::to_hlo(mesh_, whole.shape, shardings[i]));
    values_[std::size_t(computation_.parameters[i])] = values_of(id, whole.shape, shardings[i]);
  }
}

hlo::Shape ComputationPartition::local_shape_of(const hlo::Shape& shape, const mesh::ValueSharding& shardings) const {
  std::vector<hlo::Shape> arrays;
  const std::vector<const hlo::Shape*> leaves = mesh::leaf_shapes(shape);
  for (std::size_t k = 0; k < leaves.size(); ++k) arrays.push_back(mesh::local_shape(mesh_, *leaves[k], shardings[k]));
  return shape_of(shape, arrays);
}

ComputationPartition::Values ComputationPartition::values_of(hlo::InstructionId id, const hlo::Shape& shape,
                                                             const mesh::ValueSharding& shardings) {
  Values values;
  const std::vector<const hlo::Shape*> leaves = mesh::leaf_shapes(shape);
  const std::vector<hlo::InstructionId> arrays = apart(builder_, id);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    values.push_back({arrays[k], *leaves[k], shardings[k], {}, hlo::Opcode::add});
  }
  return values;
}

hlo::InstructionId ComputationPartition::in_shardings(const hlo::Shape& shape, const Values& values,
                                                      const mesh::ValueSharding& shardings) {
  std::vector<hlo::InstructionId> arrays;
  for (std::size_t k = 0; k < values.size(); ++k) {
    // Code written after all instructions has no scope, so it takes the op_name of the value.
    const build::GraphBuilder::Scope scope(builder_, builder_.scope().empty() ? builder_[values[k].id].op_name : "");
    arrays.push_back(reshard::reshard(program_, values[k], shardings[k]).id);
  }
  return together(builder_, shape, arrays);
}

const ComputationPartition::Values& ComputationPartition::operand(hlo::InstructionId id) {
  Values& values = values_[std::size_t(id)];
  if (!is_unreduced_[std::size_t(id)]) return values;
  const mesh::ValueSharding shardings = wanted(id);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (is_unreduced(values[k])) values[k] = reshard::reshard(program_, values[k], shardings[k]);
  }
  is_unreduced_[std::size_t(id)] = false;
  return values;
}

ComputationPartition::Values ComputationPartition::operands(const hlo::Instruction& instruction) {
  Values all;
  for (const hlo::InstructionId id : instruction.operands) {
    const Values& values = operand(id);
    all.insert(all.end(), values.begin(), values.end());
  }
  // A broadcast scalar costs nothing in any sharding, so it should not influence the choice of one.
  for (reshard::LocalValue& value : all) {
    if (reshard::is_same_everywhere(builder_, value))
      value = reshard::reshard(program_, value, mesh::replicated(value.shape.rank()));
  }
  return all;
}

/// Addends stay unreduced until the sum of sums that uses them, if the other operand of that sum is unreduced along the
/// same sub-axes or looks as if it will be. If a reduce-scatter would make them smaller, they stay unreduced only if
/// the sum is within held_instructions. Other addends are reduced at once, so that the collective can run concurrently
/// with what follows.
bool ComputationPartition::may_stay_unreduced(hlo::InstructionId id, const reshard::LocalValue& value,
                                              const mesh::AxisSharding& wanted_sharding) const {
  if (value.combiner != hlo::Opcode::add) return false;
  const std::optional<SumOfSums> sum = sum_of_sums(computation_, users_, id);
  if (!sum) return false;
  const auto split = [&](mesh::SubAxis sub_axis) { return wanted_sharding.uses(sub_axis); };
  const bool shrinks = std::ranges::any_of(value.unreduced, split);
  if (shrinks && sum->sum - id > reshard::LocalProgram::held_instructions) return false;
  if (sum->other > id) return looks_like_sum(computation_, sum->other);
  const Values& other = values_[std::size_t(sum->other)];
  return sum->other == id || (other.size() == 1 && other[0].unreduced == value.unreduced);
}

ComputationPartition::Values ComputationPartition::settled(hlo::InstructionId id, Values results) {
  const mesh::ValueSharding shardings = wanted(id);
  for (std::size_t k = 0; k < results.size(); ++k) {
    reshard::LocalValue& value = results[k];
    if (value.sharding == shardings[k] && value.unreduced.empty()) continue;
    if (value.sharding.manual != shardings[k].manual) {
      if (value.sharding.manual) fail(computation_[id], "every partition has a value of its own");
      if (!value.sharding.is_replicated())
        fail(computation_[id], "a shard is taken for a value of the partition's own");
    }
    const bool is_sum = is_unreduced(value);
    if (is_sum && may_stay_unreduced(id, value, shardings[k])) continue;
    // An annotated value is resharded where it is annotated. A reshard without traffic is done at once too, since it
    // leaves less to keep.
    const bool is_annotated = computation_[id].sharding != nullptr;
    if (is_sum || is_annotated || reshard::reshard_bytes(mesh_, value.shape, value.sharding, {}, shardings[k]) == 0) {
      value = reshard::reshard(program_, value, shardings[k]);
    }
  }
  return results;
}

ComputationPartition::Values ComputationPartition::write(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  if (instruction.phase != hlo::AsyncPhase::none) fail(instruction, "it is a part of an asynchronous pair");
  if (instruction.opcode == hlo::Opcode::send || instruction.opcode == hlo::Opcode::recv) {
    fail(instruction, "explicit send and recv cannot be partitioned");
  }
  if (hlo::is_collective(instruction.opcode)) return write_collective(id);
  switch (instruction.opcode) {
    case hlo::Opcode::fusion:
      fail(instruction, "a program is partitioned before it is fused");
    case hlo::Opcode::constant:
      return write_constant(id);
    case hlo::Opcode::tuple:
      return operands(instruction);
    case hlo::Opcode::get_tuple_element:
      return write_element(instruction);
    case hlo::Opcode::domain:
      return operand(instruction.operands[0]);
    case hlo::Opcode::copy:
      return instruction.shape.is_tuple() ? write_copy(instruction) : write_op(id);
    case hlo::Opcode::custom_call:
      return write_annotation(id);
    case hlo::Opcode::opt_barrier: {
      const std::optional<reshard::LocalValue> sum = write_linear(id);
      return sum ? Values{*sum} : write_barrier(instruction);
    }
    case hlo::Opcode::tuple_select:
      return write_tuple_select(instruction);
    case hlo::Opcode::infeed:
      return write_infeed(id);
    case hlo::Opcode::outfeed:
      return write_outfeed(instruction);
    case hlo::Opcode::partition_id:
    case hlo::Opcode::replica_id:
      return write_device_number(id);
    case hlo::Opcode::get_dimension_size:
      return write_dimension_size(instruction);
    case hlo::Opcode::while_loop:
      return write_while(id);
    case hlo::Opcode::conditional:
      return write_conditional(id);
    case hlo::Opcode::call:
      return write_call(id);
    default:
      return write_op(id);
  }
}

std::optional<reshard::LocalValue> ComputationPartition::write_linear(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  if (!is_linear(computation_, instruction)) return std::nullopt;
  Values held;
  for (const hlo::InstructionId from : instruction.operands) held.push_back(values_[std::size_t(from)].front());
  return partition_linear(program_, {module_, computation_, id, std::move(held), wanted(id), parent_.options()});
}

ComputationPartition::Values ComputationPartition::write_op(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const auto is_manual = [](const reshard::LocalValue& value) { return value.sharding.manual; };
  const mesh::ValueSharding shardings = wanted(id);
  if (const std::optional<reshard::LocalValue> sum = write_linear(id)) return {*sum};
  Values all = operands(instruction);
  if (parent_.is_partly_manual() && instruction.opcode == hlo::Opcode::rng) {
    fail(instruction, "what is drawn inside a shard_map over some axes cannot be told from what is drawn outside");
  }
  if (std::ranges::any_of(all, is_manual) || std::ranges::any_of(shardings, &mesh::AxisSharding::manual)) {
    return write_manual(id);
  }
  const auto is_split = [](const reshard::LocalValue& value) { return !value.sharding.is_replicated(); };
  if (instruction.opcode == hlo::Opcode::unknown && std::ranges::any_of(all, is_split)) {
    fail(instruction, fmt::format("nothing is known of '{}', and its operands are cut", instruction.target));
  }
  return partition::partition_op(program_, {module_, computation_, id, std::move(all), shardings, parent_.options()});
}

ComputationPartition::Values ComputationPartition::write_manual(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  hlo::Instruction local = attributes_of(instruction);
  bool has_manual = instruction.operands.empty();
  for (const hlo::InstructionId from : instruction.operands) {
    mesh::ValueSharding shardings;
    for (const reshard::LocalValue& value : operand(from)) {
      has_manual = has_manual || value.sharding.manual;
      shardings.push_back(value.sharding.manual ? mesh::manual(value.shape.rank())
                                                : mesh::replicated(value.shape.rank()));
    }
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), shardings));
  }
  for (hlo::ComputationId& function : local.called) function = program_.called(module_, function);
  const hlo::InstructionId result = builder_.add(std::move(local));
  mesh::ValueSharding shardings = mesh::replicated(instruction.shape);
  for (mesh::AxisSharding& sharding : shardings) sharding.manual = has_manual;
  return values_of(result, instruction.shape, shardings);
}

}  // namespace podsim::hlo::spmd::partition
