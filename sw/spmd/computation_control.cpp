// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "sw/graph/device_groups.h"
#include "sw/spmd/combiner.h"
#include "sw/spmd/computation_partition.h"
#include "sw/spmd/factor_cut.h"
#include "sw/spmd/leaves.h"
#include "sw/spmd/reshard.h"

/// Loops, branches, calls, and collectives that the program has already.
namespace podsim::sw {

ComputationPartition::Values ComputationPartition::write_while(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const ValueSharding state = wanted(id);
  const ComputationId condition = instruction.called[0], body = instruction.called[1];
  const Module& local_condition = parent_.body(condition, {state}, {replicated(0)});
  const Module& local_body = parent_.body(body, {state}, state);
  Instruction local = attributes_of(instruction);
  local.called = {program_.called(local_condition, local_condition.entry),
                  program_.called(local_body, local_body.entry)};
  local.operands = {in_shardings(instruction.shape, operand(instruction.operands[0]), state)};
  return values_of(builder_.add(std::move(local)), instruction.shape, state);
}

ComputationPartition::Values ComputationPartition::write_conditional(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const ValueSharding result = wanted(id);
  Instruction local = attributes_of(instruction);
  const LocalValue& index = operand(instruction.operands[0]).front();
  local.operands = {index.sharding.manual ? index.id : reshard(program_, index, replicated(0)).id};
  for (std::size_t branch = 0; branch < instruction.called.size(); ++branch) {
    const ComputationId called = instruction.called[branch];
    const InstructionId from = instruction.operands[branch + 1];
    const ValueSharding argument =
        parent_.sharding(called, module_.computations[std::size_t(called)].parameters.front());
    const Module& body = parent_.body(called, {argument}, result);
    local.called[branch] = program_.called(body, body.entry);
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), argument));
  }
  return values_of(builder_.add(std::move(local)), instruction.shape, result);
}

ComputationPartition::Values ComputationPartition::write_call(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const ComputationId called = instruction.called[0];
  const Computation& callee = module_.computations[std::size_t(called)];
  const ValueSharding result = wanted(id);
  Instruction local = attributes_of(instruction);
  std::vector<ValueSharding> arguments;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    arguments.push_back(parent_.sharding(called, callee.parameters[k]));
    const InstructionId from = instruction.operands[k];
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), arguments.back()));
  }
  const Module& body = parent_.body(called, arguments, result);
  local.called = {program_.called(body, body.entry)};
  return values_of(builder_.add(std::move(local)), instruction.shape, result);
}

namespace {

/// Whether a collective of a program of one partition joins all that there will be.
bool joins_all(const Module& module, const Instruction& instruction, std::int64_t partitions) {
  const Participants& participants = instruction.participants;
  if (!participants.iota && participants.groups.empty()) return true;
  const auto groups = device_groups(instruction, module.replicas, module.partitions);
  return groups.size() == 1 && std::int64_t(groups[0].size()) == partitions;
}

}  // namespace

ComputationPartition::Values ComputationPartition::write_among_replicas(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const Participants& participants = instruction.participants;
  const bool is_all_reduce = instruction.opcode == Opcode::all_reduce;
  const bool joins_partitions = participants.channel_id.has_value() || participants.use_global_device_ids;
  if (joins_partitions && module_.partitions > 1) {
    fail(instruction, "it joins partitions: the program is one core's already and runs as it is");
  }
  if (is_all_reduce && module_.replicas == 1) return operands(instruction);
  if (joins_partitions) fail(instruction, "it joins partitions of a program that has one");
  const Values all = operands(instruction);
  const auto is_cut = [](const LocalValue& value) { return !value.sharding.is_replicated(); };
  if (!is_all_reduce && std::ranges::any_of(all, is_cut)) fail(instruction, "its operands are cut");
  return write_op(id);
}

/// The collectives of a program of one partition: its replicas are the partitions now. A sum over all of them is one
/// that reshard can bring into shards. Where no value is a partition's own, replicas stay what they are, and each
/// partition of them joins its shards with theirs.
ComputationPartition::Values ComputationPartition::write_collective(InstructionId id) {
  const Instruction& instruction = computation_[id];
  if (!parent_.has_manual_values()) return write_among_replicas(id);
  Instruction local = attributes_of(instruction);
  for (const InstructionId from : instruction.operands) {
    ValueSharding whole;
    for (const LocalValue& value : operand(from)) {
      whole.push_back(value.sharding.manual ? value.sharding : replicated(value.shape.rank()));
    }
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), whole));
  }
  const bool is_all = joins_all(module_, instruction, mesh_.partitions());
  const ValueSharding shardings = wanted(id);
  const bool is_cut = std::ranges::any_of(
      shardings, [](const AxisSharding& sharding) { return !sharding.manual && !sharding.is_replicated(); });
  if (instruction.opcode == Opcode::all_reduce && is_all && is_cut) {
    const Computation& combiner = module_.computations[std::size_t(instruction.called[0])];
    if (const std::optional<Opcode> opcode = simple_combiner(combiner)) {
      Values sums;
      const std::vector<const Shape*> shapes = leaf_shapes(instruction.shape);
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        sums.push_back({local.operands[k], *shapes[k], replicated(shapes[k]->rank()), mesh_.all(), *opcode});
      }
      return sums;
    }
  }
  const bool has_pairs = instruction.opcode == Opcode::collective_permute;
  const bool is_exchange = instruction.opcode == Opcode::all_to_all;
  local.participants.channel_id = 1;
  local.participants.use_global_device_ids = !has_pairs && !is_exchange;
  for (ComputationId& combiner : local.called) combiner = program_.called(module_, combiner);
  const InstructionId result = builder_.add(std::move(local));
  const bool is_same = is_all && (instruction.opcode == Opcode::all_reduce || instruction.opcode == Opcode::all_gather);
  ValueSharding given = replicated(instruction.shape);
  for (AxisSharding& sharding : given) sharding.manual = !is_same;
  return values_of(result, instruction.shape, given);
}

}  // namespace podsim::sw
