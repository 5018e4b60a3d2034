// SPDX-License-Identifier: Apache-2.0
// Part of sw/spmd/partition/computation_partition.h.
#include <algorithm>
#include <optional>
#include <utility>

#include "sw/ir/device_groups.h"
#include "sw/spmd/partition/computation_partition.h"
#include "sw/spmd/partition/factor_split.h"
#include "sw/spmd/partition/leaves.h"
#include "sw/spmd/propagate/combiner.h"
#include "sw/spmd/reshard/reshard.h"

/// Loops, branches and calls, and collectives that the program already has.
namespace podsim::sw::spmd::partition {

ComputationPartition::Values ComputationPartition::write_while(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  const mesh::ValueSharding state = wanted(id);
  const ir::ComputationId condition = instruction.called[0], body = instruction.called[1];
  const ir::Module& local_condition = parent_.body(condition, {state}, {mesh::replicated(0)});
  const ir::Module& local_body = parent_.body(body, {state}, state);
  ir::Instruction local = attributes_of(instruction);
  local.called = {program_.called(local_condition, local_condition.entry),
                  program_.called(local_body, local_body.entry)};
  local.operands = {in_shardings(instruction.shape, operand(instruction.operands[0]), state)};
  return values_of(builder_.add(std::move(local)), instruction.shape, state);
}

ComputationPartition::Values ComputationPartition::write_conditional(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  const mesh::ValueSharding result = wanted(id);
  ir::Instruction local = attributes_of(instruction);
  const reshard::LocalValue& index = operand(instruction.operands[0]).front();
  local.operands = {index.sharding.manual ? index.id : reshard::reshard(program_, index, mesh::replicated(0)).id};
  for (std::size_t branch = 0; branch < instruction.called.size(); ++branch) {
    const ir::ComputationId called = instruction.called[branch];
    const ir::InstructionId from = instruction.operands[branch + 1];
    const mesh::ValueSharding argument =
        parent_.sharding(called, module_.computations[std::size_t(called)].parameters.front());
    const ir::Module& body = parent_.body(called, {argument}, result);
    local.called[branch] = program_.called(body, body.entry);
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), argument));
  }
  return values_of(builder_.add(std::move(local)), instruction.shape, result);
}

ComputationPartition::Values ComputationPartition::write_call(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  const ir::ComputationId called = instruction.called[0];
  const ir::Computation& callee = module_.computations[std::size_t(called)];
  const mesh::ValueSharding result = wanted(id);
  ir::Instruction local = attributes_of(instruction);
  std::vector<mesh::ValueSharding> arguments;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    arguments.push_back(parent_.sharding(called, callee.parameters[k]));
    const ir::InstructionId from = instruction.operands[k];
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), arguments.back()));
  }
  const ir::Module& body = parent_.body(called, arguments, result);
  local.called = {program_.called(body, body.entry)};
  return values_of(builder_.add(std::move(local)), instruction.shape, result);
}

namespace {

/// True if a collective in the program of one partition joins all partitions of the mesh.
bool joins_all(const ir::Module& module, const ir::Instruction& instruction, std::int64_t partitions) {
  const ir::Participants& participants = instruction.participants;
  if (!participants.iota && participants.groups.empty()) return true;
  const auto groups = ir::device_groups(instruction, module.replicas, module.partitions);
  return groups.size() == 1 && std::int64_t(groups[0].size()) == partitions;
}

}  // namespace

ComputationPartition::Values ComputationPartition::write_among_replicas(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  const ir::Participants& participants = instruction.participants;
  const bool is_all_reduce = instruction.opcode == ir::Opcode::all_reduce;
  const bool joins_partitions = participants.channel_id.has_value() || participants.use_global_device_ids;
  if (joins_partitions && module_.partitions > 1) {
    fail(instruction, "it joins partitions: the program is one core's already and runs as it is");
  }
  if (is_all_reduce && module_.replicas == 1) return operands(instruction);
  if (joins_partitions) fail(instruction, "it joins partitions of a program that has one");
  const Values all = operands(instruction);
  const auto is_split = [](const reshard::LocalValue& value) { return !value.sharding.is_replicated(); };
  if (!is_all_reduce && std::ranges::any_of(all, is_split)) fail(instruction, "its operands are cut");
  return write_op(id);
}

/// Collectives of a program that is already that of one partition, whose replicas become the partitions. An all-reduce
/// over all of them with a simple combiner whose result is sharded stays unreduced, so that reshard can write a
/// reduce-scatter. In a module without manual values, replicas remain replicas: a collective among them joins the
/// shards of equal partitions.
ComputationPartition::Values ComputationPartition::write_collective(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  if (!parent_.has_manual_values()) return write_among_replicas(id);
  ir::Instruction local = attributes_of(instruction);
  for (const ir::InstructionId from : instruction.operands) {
    mesh::ValueSharding whole;
    for (const reshard::LocalValue& value : operand(from)) {
      whole.push_back(value.sharding.manual ? value.sharding : mesh::replicated(value.shape.rank()));
    }
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), whole));
  }
  const bool is_all = joins_all(module_, instruction, mesh_.partitions());
  const mesh::ValueSharding shardings = wanted(id);
  const bool is_split = std::ranges::any_of(
      shardings, [](const mesh::AxisSharding& sharding) { return !sharding.manual && !sharding.is_replicated(); });
  if (instruction.opcode == ir::Opcode::all_reduce && is_all && is_split) {
    const ir::Computation& combiner = module_.computations[std::size_t(instruction.called[0])];
    if (const std::optional<ir::Opcode> opcode = propagate::simple_combiner(combiner)) {
      Values sums;
      const std::vector<const ir::Shape*> shapes = mesh::leaf_shapes(instruction.shape);
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        sums.push_back({local.operands[k], *shapes[k], mesh::replicated(shapes[k]->rank()), mesh_.all(), *opcode});
      }
      return sums;
    }
  }
  const bool has_pairs = instruction.opcode == ir::Opcode::collective_permute;
  const bool is_exchange = instruction.opcode == ir::Opcode::all_to_all;
  local.participants.edit().channel_id = 1;
  local.participants.edit().use_global_device_ids = !has_pairs && !is_exchange;
  if (has_pairs) {
    ir::device_pairs(local, 1, mesh_.partitions());
  } else {
    ir::device_groups(local, 1, mesh_.partitions());
  }
  for (ir::ComputationId& combiner : local.called) combiner = program_.called(module_, combiner);
  const ir::InstructionId result = builder_.add(std::move(local));
  const bool is_same =
      is_all && (instruction.opcode == ir::Opcode::all_reduce || instruction.opcode == ir::Opcode::all_gather);
  mesh::ValueSharding given = mesh::replicated(instruction.shape);
  for (mesh::AxisSharding& sharding : given) sharding.manual = !is_same;
  return values_of(result, instruction.shape, given);
}

}  // namespace podsim::sw::spmd::partition
