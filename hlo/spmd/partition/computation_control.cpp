// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/computation_partition.h.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "hlo/device_groups.h"
#include "hlo/permuted_slices.h"
#include "hlo/spmd/partition/computation_partition.h"
#include "hlo/spmd/partition/factor_split.h"
#include "hlo/spmd/partition/leaves.h"
#include "hlo/spmd/propagate/combiner.h"
#include "hlo/spmd/reshard/reshard.h"

/// Loops, branches and calls, and collectives that the program already has.
namespace podsim::hlo::spmd::partition {

ComputationPartition::Values ComputationPartition::write_while(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const mesh::ValueSharding state = wanted(id);
  const hlo::ComputationId condition = instruction.called[0], body = instruction.called[1];
  const hlo::Module& local_condition = parent_.body(condition, {state}, {mesh::replicated(0)});
  const hlo::Module& local_body = parent_.body(body, {state}, state);
  hlo::Instruction local = attributes_of(instruction);
  local.called = {program_.called(local_condition, local_condition.entry),
                  program_.called(local_body, local_body.entry)};
  local.operands = {in_shardings(instruction.shape, operand(instruction.operands[0]), state)};
  return values_of(builder_.add(std::move(local)), instruction.shape, state);
}

ComputationPartition::Values ComputationPartition::write_conditional(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const mesh::ValueSharding result = wanted(id);
  hlo::Instruction local = attributes_of(instruction);
  const reshard::LocalValue& index = operand(instruction.operands[0]).front();
  local.operands = {index.sharding.manual ? index.id : reshard::reshard(program_, index, mesh::replicated(0)).id};
  for (std::size_t branch = 0; branch < instruction.called.size(); ++branch) {
    const hlo::ComputationId called = instruction.called[branch];
    const hlo::InstructionId from = instruction.operands[branch + 1];
    const mesh::ValueSharding argument =
        parent_.sharding(called, module_.computations[std::size_t(called)].parameters.front());
    const hlo::Module& body = parent_.body(called, {argument}, result);
    local.called[branch] = program_.called(body, body.entry);
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), argument));
  }
  return values_of(builder_.add(std::move(local)), instruction.shape, result);
}

ComputationPartition::Values ComputationPartition::write_call(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const hlo::ComputationId called = instruction.called[0];
  const hlo::Computation& callee = module_.computations[std::size_t(called)];
  const mesh::ValueSharding result = wanted(id);
  hlo::Instruction local = attributes_of(instruction);
  std::vector<mesh::ValueSharding> arguments;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    arguments.push_back(parent_.sharding(called, callee.parameters[k]));
    const hlo::InstructionId from = instruction.operands[k];
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), arguments.back()));
  }
  const hlo::Module& body = parent_.body(called, arguments, result);
  local.called = {program_.called(body, body.entry)};
  return values_of(builder_.add(std::move(local)), instruction.shape, result);
}

namespace {

/// True if a collective in the program of one partition joins all partitions of the mesh.
bool joins_all(const hlo::Module& module, const hlo::Instruction& instruction, std::int64_t partitions) {
  const hlo::Participants& participants = instruction.participants;
  if (!participants.iota && participants.groups.empty()) return true;
  const auto groups = hlo::device_groups(instruction, module.replicas, module.partitions);
  return groups.size() == 1 && std::int64_t(groups[0].size()) == partitions;
}

/// Makes a collective one among the numbers of partitions. Throws if its groups or pairs are not of those.
void join_partitions(hlo::Instruction& collective, std::int64_t partitions) {
  const bool has_pairs = collective.opcode == hlo::Opcode::collective_permute;
  const bool is_exchange = collective.opcode == hlo::Opcode::all_to_all;
  collective.participants.edit().channel_id = 1;
  collective.participants.edit().use_global_device_ids = !has_pairs && !is_exchange;
  if (has_pairs) {
    hlo::device_pairs(collective, 1, partitions);
  } else {
    hlo::device_groups(collective, 1, partitions);
  }
}

/// The sub-axes along which the devices that a collective joins differ.
mesh::SubAxes joined_axes(const mesh::Mesh& mesh, const hlo::Instruction& collective) {
  std::vector<std::vector<std::int64_t>> groups;
  if (collective.opcode == hlo::Opcode::collective_permute) {
    for (const auto& [source, target] : hlo::device_pairs(collective, 1, mesh.partitions())) {
      groups.push_back({source, target});
    }
  } else {
    for (const auto& group : hlo::device_groups(collective, 1, mesh.partitions())) {
      groups.emplace_back(group.begin(), group.end());
    }
  }
  mesh::SubAxes result;
  for (const mesh::SubAxis sub_axis : mesh.all()) {
    const auto position = [&](std::int64_t device) { return mesh.position(device, {sub_axis}); };
    const auto differs = [&](const std::vector<std::int64_t>& group) {
      return std::ranges::adjacent_find(group, std::ranges::not_equal_to(), position) != group.end();
    };
    if (std::ranges::any_of(groups, differs)) result.push_back(sub_axis);
  }
  return result;
}

/// True for a collective whose results have the dimensions of its operands, but for those in `dimensions`.
bool keeps_other_dimensions(const hlo::Instruction& collective) {
  switch (collective.opcode) {
    case hlo::Opcode::all_reduce:
    case hlo::Opcode::all_gather:
    case hlo::Opcode::reduce_scatter:
    case hlo::Opcode::all_to_all:
    case hlo::Opcode::collective_broadcast:
      return true;
    case hlo::Opcode::collective_permute:
      return !hlo::is_in_place(collective);
    default:
      return false;
  }
}

}  // namespace

ComputationPartition::Values ComputationPartition::write_among_shards(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  hlo::Instruction local = attributes_of(instruction);
  join_partitions(local, mesh_.partitions());
  const mesh::SubAxes joined = joined_axes(mesh_, local);
  mesh::ValueSharding given = mesh::replicated(instruction.shape);
  std::size_t next = 0;
  for (const hlo::InstructionId from : instruction.operands) {
    mesh::ValueSharding kept;
    for (const reshard::LocalValue& value : operand(from)) {
      mesh::AxisSharding sharding = mesh::replicated(value.shape.rank());
      for (int d = 0; keeps_other_dimensions(instruction) && d < value.shape.rank(); ++d) {
        const mesh::SubAxes& own = value.sharding.dimensions[std::size_t(d)];
        const bool moves = std::ranges::count(instruction.dimensions, std::int64_t(d)) > 0;
        if (!moves && mesh::within(own, joined).empty()) sharding.dimensions[std::size_t(d)] = own;
      }
      if (next < given.size() && given[next].dimensions.size() == sharding.dimensions.size()) given[next] = sharding;
      ++next;
      kept.push_back(std::move(sharding));
    }
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), kept));
  }
  local.shape = local_shape_of(instruction.shape, given);
  for (hlo::ComputationId& combiner : local.called) combiner = program_.called(module_, combiner);
  return values_of(builder_.add(std::move(local)), instruction.shape, given);
}

ComputationPartition::Values ComputationPartition::write_among_replicas(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const hlo::Participants& participants = instruction.participants;
  const bool is_all_reduce = instruction.opcode == hlo::Opcode::all_reduce;
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
ComputationPartition::Values ComputationPartition::write_collective(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  if (!parent_.has_manual_values()) return write_among_replicas(id);
  const auto has_manual = [this](hlo::InstructionId from) {
    return std::ranges::any_of(operand(from), [](const auto& value) { return value.sharding.manual; });
  };
  if (parent_.is_partly_manual() && std::ranges::none_of(instruction.operands, has_manual)) {
    return write_among_shards(id);
  }
  hlo::Instruction local = attributes_of(instruction);
  for (const hlo::InstructionId from : instruction.operands) {
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
  if (instruction.opcode == hlo::Opcode::all_reduce && is_all && is_split) {
    const hlo::Computation& combiner = module_.computations[std::size_t(instruction.called[0])];
    if (const std::optional<hlo::Opcode> opcode = propagate::simple_combiner(combiner)) {
      Values sums;
      const std::vector<const hlo::Shape*> shapes = mesh::leaf_shapes(instruction.shape);
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        sums.push_back({local.operands[k], *shapes[k], mesh::replicated(shapes[k]->rank()), mesh_.all(), *opcode});
      }
      return sums;
    }
  }
  join_partitions(local, mesh_.partitions());
  for (hlo::ComputationId& combiner : local.called) combiner = program_.called(module_, combiner);
  const hlo::InstructionId result = builder_.add(std::move(local));
  const bool is_same =
      is_all && (instruction.opcode == hlo::Opcode::all_reduce || instruction.opcode == hlo::Opcode::all_gather);
  mesh::ValueSharding given = mesh::replicated(instruction.shape);
  for (mesh::AxisSharding& sharding : given) sharding.manual = !is_same;
  return values_of(result, instruction.shape, given);
}

}  // namespace podsim::hlo::spmd::partition
