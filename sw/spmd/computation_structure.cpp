// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "sw/spmd/computation_partition.h"
#include "sw/spmd/factor_cut.h"
#include "sw/spmd/leaves.h"
#include "sw/spmd/reshard.h"

/// What computes nothing: constants, tuples, annotations, feeds and questions about the machine.
namespace podsim::sw {

namespace {

/// Whether all elements of a constant are one number.
bool is_splat(const Instruction& constant) {
  if (!constant.literal || constant.shape.is_tuple()) return false;
  const auto is_one = [](const auto& elements) {
    return std::ranges::adjacent_find(elements, std::ranges::not_equal_to()) == elements.end();
  };
  return constant.shape.element_count() > 0 && is_one(constant.literal->values) && is_one(constant.literal->integers);
}

Literal scalar_of(const Literal& splat) {
  Literal scalar = make_zeros(make_shape(splat.shape.element_type, {}));
  copy_element(scalar, 0, splat, 0);
  return scalar;
}

}  // namespace

ComputationPartition::Values ComputationPartition::write_constant(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const ValueSharding shardings = wanted(id);
  if (instruction.shape.rank() > 0 && is_splat(instruction) && !is_complex(instruction.shape.element_type)) {
    const Shape local = local_shape(mesh_, instruction.shape, shardings[0]);
    const InstructionId scalar = builder_.constant(scalar_of(*instruction.literal));
    return {{builder_.broadcast(scalar, local.dimensions), instruction.shape, shardings[0], {}, Opcode::add}};
  }
  Instruction local = attributes_of(instruction);
  return values_of(builder_.add(std::move(local)), instruction.shape, replicated(instruction.shape));
}

ComputationPartition::Values ComputationPartition::write_element(const Instruction& instruction) {
  const InstructionId tuple = instruction.operands[0];
  const std::vector<Shape>& elements = computation_[tuple].shape.tuple_shapes;
  std::size_t first = 0;
  for (std::size_t i = 0; i < std::size_t(instruction.index); ++i) first += leaf_shapes(elements[i]).size();
  const auto begin = operand(tuple).begin() + std::ptrdiff_t(first);
  return {begin, begin + std::ptrdiff_t(leaf_shapes(instruction.shape).size())};
}

ComputationPartition::Values ComputationPartition::write_copy(const Instruction& instruction) {
  Values values = operand(instruction.operands[0]);
  for (LocalValue& value : values) {
    if (value.shape.element_type != ElementType::token) value.id = builder_.copy(value.id);
  }
  return values;
}

/// Annotations of jit and shard_map: "Sharding" is brought about here and now, SPMDFullToShardShape hands every
/// partition its shard as a value of its own, SPMDShardToFullShape takes such values for shards again.
ComputationPartition::Values ComputationPartition::write_annotation(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const std::string_view target = instruction.target;
  if (target != "Sharding" && target != "SPMDFullToShardShape" && target != "SPMDShardToFullShape") {
    return write_op(id);
  }
  const InstructionId from = instruction.operands[0];
  const ValueSharding given = wanted(from), shardings = wanted(id);
  Values values = operand(from);
  const std::vector<const Shape*> shapes = leaf_shapes(instruction.shape);
  for (std::size_t k = 0; k < values.size(); ++k) {
    LocalValue& value = values[k];
    if (value.sharding.manual == shardings[k].manual) {
      value = reshard(program_, value, shardings[k]);
      continue;
    }
    if (target == "Sharding") continue;
    if (!value.sharding.manual) value = reshard(program_, value, given[k]);
    value = {value.id, *shapes[k], shardings[k], {}, Opcode::add};
    if (local_shape(mesh_, value.shape, value.sharding).dimensions != builder_.shape(value.id).dimensions) {
      fail(instruction, "its shape is not that of a shard");
    }
  }
  return values;
}

ComputationPartition::Values ComputationPartition::write_barrier(const Instruction& instruction) {
  std::vector<InstructionId> arrays, values;
  const Values all = operands(instruction);
  ValueSharding shardings;
  for (const LocalValue& value : all) {
    arrays.push_back(value.id);
    shardings.push_back(value.sharding);
  }
  Instruction local = attributes_of(instruction);
  std::size_t next = 0;
  for (const InstructionId from : instruction.operands) {
    const Shape& shape = computation_[from].shape;
    const std::size_t count = leaf_shapes(shape).size();
    local.operands.push_back(together(builder_, shape, std::span(arrays).subspan(next, count)));
    next += count;
  }
  return values_of(builder_.add(std::move(local)), instruction.shape, shardings);
}

ComputationPartition::Values ComputationPartition::write_tuple_select(const Instruction& instruction) {
  const LocalValue predicate = reshard(program_, operand(instruction.operands[0]).front(), replicated(0));
  const Values& on_true = operand(instruction.operands[1]);
  const Values& on_false = operand(instruction.operands[2]);
  Values values;
  for (std::size_t k = 0; k < on_true.size(); ++k) {
    LocalValue value = on_true[k];
    value.id = builder_.select(predicate.id, value.id, reshard(program_, on_false[k], value.sharding).id);
    values.push_back(std::move(value));
  }
  return values;
}

/// Every partition is fed its shard.
ComputationPartition::Values ComputationPartition::write_infeed(InstructionId id) {
  const Instruction& instruction = computation_[id];
  const ValueSharding shardings = wanted(id);
  Instruction local = attributes_of(instruction);
  for (const LocalValue& token : operands(instruction)) local.operands.push_back(token.id);
  local.shape = local_shape_of(instruction.shape, shardings);
  const InstructionId fed = builder_.add(std::move(local));
  builder_.annotate(fed, to_hlo(mesh_, instruction.shape, shardings));
  return values_of(fed, instruction.shape, shardings);
}

/// Every partition feeds out its shard.
ComputationPartition::Values ComputationPartition::write_outfeed(const Instruction& instruction) {
  Instruction local = attributes_of(instruction);
  for (const InstructionId from : instruction.operands) {
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), wanted(from)));
  }
  const InstructionId token = builder_.add(std::move(local));
  return values_of(token, instruction.shape, replicated(instruction.shape));
}

/// Of a program that is already that of one partition, whose replicas are partitions now.
ComputationPartition::Values ComputationPartition::write_device_number(InstructionId id) {
  const Instruction& instruction = computation_[id];
  if (parent_.has_manual_values()) {
    return {{builder_.partition_id(), instruction.shape, manual(0), {}, Opcode::add}};
  }
  if (instruction.opcode == Opcode::partition_id) {
    fail(instruction, module_.partitions > 1 ? "the program is one core's already and runs as it is"
                                             : "the program has one partition so far");
  }
  return {{builder_.add(attributes_of(instruction)), instruction.shape, replicated(0), {}, Opcode::add}};
}

ComputationPartition::Values ComputationPartition::write_dimension_size(const Instruction& instruction) {
  const Shape& shape = computation_[instruction.operands[0]].shape;
  const auto size = double(shape.dimensions[std::size_t(instruction.index)]);
  return {{builder_.constant(instruction.shape.element_type, size), instruction.shape, replicated(0), {}, Opcode::add}};
}

}  // namespace podsim::sw
