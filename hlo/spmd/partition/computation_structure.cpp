// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/computation_partition.h.
#include <algorithm>
#include <string_view>
#include <utility>

#include "hlo/spmd/partition/computation_partition.h"
#include "hlo/spmd/partition/factor_split.h"
#include "hlo/spmd/partition/leaves.h"
#include "hlo/spmd/reshard/reshard.h"

/// Instructions that compute nothing: constants, tuples, annotations, infeeds and outfeeds, and device numbers.
namespace podsim::hlo::spmd::partition {

namespace {

/// True if all elements of a constant are equal.
bool is_splat(const hlo::Instruction& constant) {
  if (!constant.literal || constant.shape.is_tuple()) return false;
  const auto is_one = [](const auto& elements) {
    return std::ranges::adjacent_find(elements, std::ranges::not_equal_to()) == elements.end();
  };
  return constant.shape.element_count() > 0 && is_one(constant.literal->values) && is_one(constant.literal->integers);
}

hlo::Literal scalar_of(const hlo::Literal& splat) {
  hlo::Literal scalar = hlo::make_zeros(hlo::make_shape(splat.shape.element_type, {}));
  hlo::copy_element(scalar, 0, splat, 0);
  return scalar;
}

}  // namespace

ComputationPartition::Values ComputationPartition::write_constant(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const mesh::ValueSharding shardings = wanted(id);
  if (instruction.shape.rank() > 0 && is_splat(instruction) && !hlo::is_complex(instruction.shape.element_type)) {
    const hlo::Shape local = mesh::local_shape(mesh_, instruction.shape, shardings[0]);
    const hlo::InstructionId scalar = builder_.constant(scalar_of(*instruction.literal));
    return {{builder_.broadcast(scalar, local.dimensions), instruction.shape, shardings[0], {}, hlo::Opcode::add}};
  }
  hlo::Instruction local = attributes_of(instruction);
  return values_of(builder_.add(std::move(local)), instruction.shape, mesh::replicated(instruction.shape));
}

ComputationPartition::Values ComputationPartition::write_element(const hlo::Instruction& instruction) {
  const hlo::InstructionId tuple = instruction.operands[0];
  const std::size_t first = leaves_.before(computation_[tuple].shape, instruction.index);
  const auto begin = operand(tuple).begin() + std::ptrdiff_t(first);
  return {begin, begin + std::ptrdiff_t(rules::leaf_count(instruction.shape))};
}

ComputationPartition::Values ComputationPartition::write_copy(const hlo::Instruction& instruction) {
  Values values = operand(instruction.operands[0]);
  for (reshard::LocalValue& value : values) {
    if (value.shape.element_type != hlo::ElementType::token) value.id = builder_.copy(value.id);
  }
  return values;
}

/// Annotations of jit and shard_map: "Sharding" reshards at once, SPMDFullToShardShape turns shards into manual values,
/// and SPMDShardToFullShape turns manual values back into shards.
ComputationPartition::Values ComputationPartition::write_annotation(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const std::string_view target = instruction.target;
  if (target != "Sharding" && target != "SPMDFullToShardShape" && target != "SPMDShardToFullShape") {
    return write_op(id);
  }
  if (const auto border = mesh::manual_border(mesh_, computation_, id)) return {write_border(id, *border)};
  const hlo::InstructionId from = instruction.operands[0];
  const mesh::ValueSharding given = wanted(from), shardings = wanted(id);
  Values values = operand(from);
  const std::vector<const hlo::Shape*> shapes = mesh::leaf_shapes(instruction.shape);
  for (std::size_t k = 0; k < values.size(); ++k) {
    reshard::LocalValue& value = values[k];
    if (value.sharding.manual == shardings[k].manual) {
      value = reshard::reshard(program_, value, shardings[k]);
      continue;
    }
    if (target == "Sharding") {
      // What the partitions along the manual axes compute by themselves is the same along the others.
      const bool is_partly = instruction.sharding && !mesh::manual_sub_axes(mesh_, *instruction.sharding).empty();
      if (!is_partly || !value.sharding.manual) continue;
      value.sharding = mesh::replicated(value.shape.rank());
      value = reshard::reshard(program_, value, shardings[k]);
      continue;
    }
    if (!value.sharding.manual) value = reshard::reshard(program_, value, given[k]);
    value = {value.id, *shapes[k], shardings[k], {}, hlo::Opcode::add};
    if (mesh::local_shape(mesh_, value.shape, value.sharding).dimensions != builder_.shape(value.id).dimensions) {
      fail(instruction, "its shape is not that of a shard");
    }
  }
  return values;
}

reshard::LocalValue ComputationPartition::write_border(hlo::InstructionId id, const mesh::ManualBorder& border) {
  const hlo::Instruction& instruction = computation_[id];
  const hlo::InstructionId from = instruction.operands[0];
  const reshard::LocalValue& value = operand(from).front();
  if (value.sharding.manual) fail(instruction, "every partition has a value of its own");
  const mesh::AxisSharding whole = (border.enters ? wanted(from) : wanted(id)).front();
  const hlo::Shape& shape = border.enters ? instruction.shape : value.shape;
  mesh::AxisSharding of_whole = mesh::replicated(shape.rank()), of_shard = of_whole;
  for (int d = 0; d < shape.rank(); ++d) {
    mesh::SubAxes &all = of_whole.dimensions[std::size_t(d)], &others = of_shard.dimensions[std::size_t(d)];
    all = mesh::within(whole.dimensions[std::size_t(d)], border.axes);
    others = mesh::without(whole.dimensions[std::size_t(d)], border.axes);
    if (shape.dimensions[std::size_t(d)] % mesh_.size(others) != 0) others.clear();
    all.insert(all.end(), others.begin(), others.end());
  }
  const reshard::LocalValue given = reshard::reshard(program_, value, border.enters ? of_whole : of_shard);
  const reshard::LocalValue made{
      given.id, instruction.shape, border.enters ? of_shard : of_whole, {}, hlo::Opcode::add};
  if (mesh::local_shape(mesh_, made.shape, made.sharding).dimensions != builder_.shape(made.id).dimensions) {
    fail(instruction, "its shape is not that of a shard");
  }
  return reshard::reshard(program_, made, wanted(id).front());
}

ComputationPartition::Values ComputationPartition::write_barrier(const hlo::Instruction& instruction) {
  std::vector<hlo::InstructionId> arrays, values;
  const Values all = operands(instruction);
  mesh::ValueSharding shardings;
  for (const reshard::LocalValue& value : all) {
    arrays.push_back(value.id);
    shardings.push_back(value.sharding);
  }
  hlo::Instruction local = attributes_of(instruction);
  std::size_t next = 0;
  for (const hlo::InstructionId from : instruction.operands) {
    const hlo::Shape& shape = computation_[from].shape;
    const std::size_t count = mesh::leaf_shapes(shape).size();
    local.operands.push_back(together(builder_, shape, std::span(arrays).subspan(next, count)));
    next += count;
  }
  return values_of(builder_.add(std::move(local)), instruction.shape, shardings);
}

ComputationPartition::Values ComputationPartition::write_tuple_select(const hlo::Instruction& instruction) {
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
ComputationPartition::Values ComputationPartition::write_infeed(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  const mesh::ValueSharding shardings = wanted(id);
  hlo::Instruction local = attributes_of(instruction);
  for (const reshard::LocalValue& token : operands(instruction)) local.operands.push_back(token.id);
  local.shape = local_shape_of(instruction.shape, shardings);
  const hlo::InstructionId fed = builder_.add(std::move(local));
  builder_.annotate(fed, mesh::to_hlo(mesh_, instruction.shape, shardings));
  return values_of(fed, instruction.shape, shardings);
}

/// Every partition sends its shard.
ComputationPartition::Values ComputationPartition::write_outfeed(const hlo::Instruction& instruction) {
  hlo::Instruction local = attributes_of(instruction);
  for (const hlo::InstructionId from : instruction.operands) {
    local.operands.push_back(in_shardings(computation_[from].shape, operand(from), wanted(from)));
  }
  const hlo::InstructionId token = builder_.add(std::move(local));
  return values_of(token, instruction.shape, mesh::replicated(instruction.shape));
}

/// Writes partition-id and replica-id. With manual values, the program is already that of one partition and its
/// replicas become the partitions, so both are the partition's number.
ComputationPartition::Values ComputationPartition::write_device_number(hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation_[id];
  if (parent_.has_manual_values()) {
    return {{builder_.partition_id(), instruction.shape, mesh::manual(0), {}, hlo::Opcode::add}};
  }
  if (instruction.opcode == hlo::Opcode::partition_id) {
    fail(instruction, module_.partitions > 1 ? "the program is one core's already and runs as it is"
                                             : "the program has one partition so far");
  }
  return {{builder_.add(attributes_of(instruction)), instruction.shape, mesh::replicated(0), {}, hlo::Opcode::add}};
}

ComputationPartition::Values ComputationPartition::write_dimension_size(const hlo::Instruction& instruction) {
  const hlo::Shape& shape = computation_[instruction.operands[0]].shape;
  const auto size = double(shape.dimensions[std::size_t(instruction.index)]);
  return {{builder_.constant(instruction.shape.element_type, size),
           instruction.shape,
           mesh::replicated(0),
           {},
           hlo::Opcode::add}};
}

}  // namespace podsim::hlo::spmd::partition
