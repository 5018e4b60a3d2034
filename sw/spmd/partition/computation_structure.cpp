// SPDX-License-Identifier: Apache-2.0
// Part of sw/spmd/partition/computation_partition.h.
#include <algorithm>
#include <string_view>
#include <utility>

#include "sw/spmd/partition/computation_partition.h"
#include "sw/spmd/partition/factor_split.h"
#include "sw/spmd/partition/leaves.h"
#include "sw/spmd/reshard/reshard.h"

/// Instructions that compute nothing: constants, tuples, annotations, infeeds and outfeeds, and device numbers.
namespace podsim::sw::spmd::partition {

namespace {

/// True if all elements of a constant are equal.
bool is_splat(const ir::Instruction& constant) {
  if (!constant.literal || constant.shape.is_tuple()) return false;
  const auto is_one = [](const auto& elements) {
    return std::ranges::adjacent_find(elements, std::ranges::not_equal_to()) == elements.end();
  };
  return constant.shape.element_count() > 0 && is_one(constant.literal->values) && is_one(constant.literal->integers);
}

ir::Literal scalar_of(const ir::Literal& splat) {
  ir::Literal scalar = ir::make_zeros(ir::make_shape(splat.shape.element_type, {}));
  ir::copy_element(scalar, 0, splat, 0);
  return scalar;
}

}  // namespace

ComputationPartition::Values ComputationPartition::write_constant(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  const mesh::ValueSharding shardings = wanted(id);
  if (instruction.shape.rank() > 0 && is_splat(instruction) && !ir::is_complex(instruction.shape.element_type)) {
    const ir::Shape local = mesh::local_shape(mesh_, instruction.shape, shardings[0]);
    const ir::InstructionId scalar = builder_.constant(scalar_of(*instruction.literal));
    return {{builder_.broadcast(scalar, local.dimensions), instruction.shape, shardings[0], {}, ir::Opcode::add}};
  }
  ir::Instruction local = attributes_of(instruction);
  return values_of(builder_.add(std::move(local)), instruction.shape, mesh::replicated(instruction.shape));
}

ComputationPartition::Values ComputationPartition::write_element(const ir::Instruction& instruction) {
  const ir::InstructionId tuple = instruction.operands[0];
  const std::size_t first = leaves_.before(computation_[tuple].shape, instruction.index);
  const auto begin = operand(tuple).begin() + std::ptrdiff_t(first);
  return {begin, begin + std::ptrdiff_t(ir::rules::leaf_count(instruction.shape))};
}

ComputationPartition::Values ComputationPartition::write_copy(const ir::Instruction& instruction) {
  Values values = operand(instruction.operands[0]);
  for (reshard::LocalValue& value : values) {
    if (value.shape.element_type != ir::ElementType::token) value.id = builder_.copy(value.id);
  }
  return values;
}

/// Annotations of jit and shard_map: "Sharding" reshards at once, SPMDFullToShardShape turns shards into manual values,
/// and SPMDShardToFullShape turns manual values back into shards.
ComputationPartition::Values ComputationPartition::write_annotation(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  const std::string_view target = instruction.target;
  if (target != "Sharding" && target != "SPMDFullToShardShape" && target != "SPMDShardToFullShape") {
    return write_op(id);
  }
  const ir::InstructionId from = instruction.operands[0];
  const mesh::ValueSharding given = wanted(from), shardings = wanted(id);
  Values values = operand(from);
  const std::vector<const ir::Shape*> shapes = mesh::leaf_shapes(instruction.shape);
  for (std::size_t k = 0; k < values.size(); ++k) {
    reshard::LocalValue& value = values[k];
    if (value.sharding.manual == shardings[k].manual) {
      value = reshard::reshard(program_, value, shardings[k]);
      continue;
    }
    if (target == "Sharding") continue;
    if (!value.sharding.manual) value = reshard::reshard(program_, value, given[k]);
    value = {value.id, *shapes[k], shardings[k], {}, ir::Opcode::add};
    if (mesh::local_shape(mesh_, value.shape, value.sharding).dimensions != builder_.shape(value.id).dimensions) {
      fail(instruction, "its shape is not that of a shard");
    }
  }
  return values;
}

ComputationPartition::Values ComputationPartition::write_barrier(const ir::Instruction& instruction) {
  std::vector<ir::InstructionId> arrays, values;
  const Values all = operands(instruction);
  mesh::ValueSharding shardings;
  for (const reshard::LocalValue& value : all) {
    arrays.push_back(value.id);
    shardings.push_back(value.sharding);
  }
  ir::Instruction local = attributes_of(instruction);
  std::size_t next = 0;
  for (const ir::InstructionId from : instruction.operands) {
    const ir::Shape& shape = computation_[from].shape;
    const std::size_t count = mesh::leaf_shapes(shape).size();
    local.operands.push_back(together(builder_, shape, std::span(arrays).subspan(next, count)));
    next += count;
  }
  return values_of(builder_.add(std::move(local)), instruction.shape, shardings);
}

ComputationPartition::Values ComputationPartition::write_tuple_select(const ir::Instruction& instruction) {
  const reshard::LocalValue predicate =
      reshard::reshard(program_, operand(instruction.operands[0]).front(), mesh::replicated(0));
  const Values& on_true = operand(instruction.operands[1]);
  const Values& on_false = operand(instruction.operands[2]);
  Values values;
  for (std::size_t k = 0; k < on_true.size(); ++k) {
    reshard::LocalValue value = on_true[k];
    value.id = builder_.select(predicate.id, value.id, reshard::reshard(program_, on_false[k], value.sharding).id);
    values.push_back(std::move(value));
  }
  return values;
}

/// Every partition receives its shard.
ComputationPartition::Values ComputationPartition::write_infeed(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  const mesh::ValueSharding shardings = wanted(id);
  ir::Instruction local = attributes_of(instruction);
  for (const reshard::LocalValue& token : operands(instruction)) local.operands.push_back(token.id);
  local.shape = local_shape_of(instruction.shape, shardings);
  const ir::InstructionId fed = builder_.add(std::move(local));
  builder_.annotate(fed, mesh::to_hlo(mesh_, instruction.shape, shardings));
  return values_of(fed, instruction.shape, shardings);
}

/// Every partition sends its shard.
ComputationPartition::Values ComputationPartition::write_outfeed(const ir::Instruction& instruction) {
  ir::Instruction local = attributes_of(instruction);
  for (const ir::InstructionId from : instruction.operands) {
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), wanted(from)));
  }
  const ir::InstructionId token = builder_.add(std::move(local));
  return values_of(token, instruction.shape, mesh::replicated(instruction.shape));
}

/// Writes partition-id and replica-id. With manual values, the program is already that of one partition and its
/// replicas become the partitions, so both are the partition's number.
ComputationPartition::Values ComputationPartition::write_device_number(ir::InstructionId id) {
  const ir::Instruction& instruction = computation_[id];
  if (parent_.has_manual_values()) {
    return {{builder_.partition_id(), instruction.shape, mesh::manual(0), {}, ir::Opcode::add}};
  }
  if (instruction.opcode == ir::Opcode::partition_id) {
    fail(instruction, module_.partitions > 1 ? "the program is one core's already and runs as it is"
                                             : "the program has one partition so far");
  }
  return {{builder_.add(attributes_of(instruction)), instruction.shape, mesh::replicated(0), {}, ir::Opcode::add}};
}

ComputationPartition::Values ComputationPartition::write_dimension_size(const ir::Instruction& instruction) {
  const ir::Shape& shape = computation_[instruction.operands[0]].shape;
  const auto size = double(shape.dimensions[std::size_t(instruction.index)]);
  return {{builder_.constant(instruction.shape.element_type, size),
           instruction.shape,
           mesh::replicated(0),
           {},
           ir::Opcode::add}};
}

}  // namespace podsim::sw::spmd::partition
