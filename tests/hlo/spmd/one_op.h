// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/spmd/partition/op_partition.h"
#include "hlo/spmd/partition/partitioner.h"

/// Compares an op that a family partitions, evaluated on virtual partitions, with the whole op.
namespace podsim::hlo::spmd::testing {

using Family = std::vector<reshard::LocalValue> (*)(reshard::LocalProgram&, const partition::OpToPartition&);

/// From `low` to `high`, both included.
inline std::int64_t draw(std::mt19937& random, int low, int high) {
  return low + int(random() % unsigned(high - low + 1));
}

/// Integers in [low, high], whose sums are exact.
inline hlo::Literal random_integers(const hlo::Shape& shape, std::mt19937& random, int low, int high) {
  hlo::Literal literal = hlo::make_zeros(shape);
  for (double& value : literal.values) value = low + int(random() % unsigned(high - low + 1));
  return literal;
}

/// 2 to 8 partitions along one or two axes.
inline mesh::Mesh random_mesh(std::mt19937& random) {
  static const std::vector<mesh::Mesh> meshes{
      mesh::Mesh({{"x", 2}}),           mesh::Mesh({{"x", 3}}),           mesh::Mesh({{"x", 4}}),
      mesh::Mesh({{"x", 5}}),           mesh::Mesh({{"x", 8}}),           mesh::Mesh({{"x", 2}, {"y", 2}}),
      mesh::Mesh({{"x", 2}, {"y", 3}}), mesh::Mesh({{"x", 4}, {"y", 2}}), mesh::Mesh({{"x", 3}, {"y", 2}})};
  return meshes[random() % meshes.size()];
}

/// Each axis splits one dimension or none.
inline mesh::AxisSharding random_sharding(const mesh::Mesh& mesh, int rank, std::mt19937& random) {
  mesh::AxisSharding sharding = mesh::replicated(rank);
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const auto d = std::size_t(random() % unsigned(rank + 1));
    if (d == std::size_t(rank)) continue;
    for (const mesh::SubAxis sub_axis : mesh.sub_axes(int(axis))) sharding.dimensions[d].push_back(sub_axis);
  }
  return sharding;
}

/// The arrays of a value.
inline std::vector<hlo::Shape> arrays_of(const hlo::Shape& shape) {
  return shape.is_tuple() ? shape.tuple_shapes : std::vector{shape};
}

struct PartitionedOp {
  hlo::Module module;           ///< program of one partition; empty if the family did not take the op
  mesh::ValueSharding results;  ///< shardings of the root's arrays
  bool is_taken = false;
};

/// The program of the entry's root, whose operands are the entry's parameters or constants. Unreduced results are
/// reduced.
inline PartitionedOp partition_root(const hlo::Module& whole, const mesh::Mesh& mesh,
                                    const mesh::ValueSharding& parameters, const mesh::ValueSharding& wanted,
                                    Family family, const partition::PartitionOptions& options = {}) {
  const hlo::Computation& entry = whole.entry_computation();
  build::GraphBuilder builder("local");
  reshard::LocalProgram program(builder, mesh);
  std::vector<reshard::LocalValue> values(entry.instructions.size());
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const hlo::Instruction& parameter = entry[entry.parameters[i]];
    const hlo::InstructionId id =
        builder.parameter(mesh::local_shape(mesh, parameter.shape, parameters[i]), parameter.name);
    values[std::size_t(entry.parameters[i])] = {id, parameter.shape, parameters[i], {}, hlo::Opcode::add};
  }
  partition::OpToPartition op{whole, entry, entry.root, {}, wanted, options};
  for (const hlo::InstructionId operand : entry[entry.root].operands) {
    reshard::LocalValue& value = values[std::size_t(operand)];
    if (value.id < 0) {
      const hlo::Instruction& constant = entry[operand];
      value = {builder.constant(*constant.literal),
               constant.shape,
               mesh::replicated(constant.shape.rank()),
               {},
               hlo::Opcode::add};
    }
    op.operands.push_back(value);
  }
  std::vector<reshard::LocalValue> results = family(program, op);
  PartitionedOp partitioned;
  if (results.empty()) return partitioned;
  std::vector<hlo::InstructionId> ids;
  for (reshard::LocalValue& result : results) {
    if (!result.unreduced.empty()) result.id = program.all_reduce(result.id, result.unreduced, result.combiner);
    EXPECT_TRUE(builder.shape(result.id).compatible(mesh::local_shape(mesh, result.shape, result.sharding)))
        << hlo::to_string(builder.shape(result.id)) << " of " << hlo::to_string(result.shape) << " "
        << mesh::to_string(mesh, result.sharding);
    ids.push_back(result.id);
    partitioned.results.push_back(result.sharding);
  }
  const hlo::InstructionId root = entry[entry.root].shape.is_tuple() ? builder.tuple(ids) : builder.copy(ids[0]);
  partitioned.module = std::move(builder).build(root);
  partitioned.module.partitions = mesh.partitions();
  partitioned.is_taken = true;
  build::verify(partitioned.module);
  return partitioned;
}

inline void expect_equal(const hlo::Literal& actual, const hlo::Literal& expected, double relative) {
  ASSERT_TRUE(actual.shape.compatible(expected.shape)) << hlo::to_string(actual.shape);
  for (std::size_t i = 0; i < actual.elements.size(); ++i) {
    expect_equal(actual.elements[i], expected.elements[i], relative);
  }
  ASSERT_EQ(actual.integers, expected.integers);
  for (std::size_t i = 0; i < actual.values.size(); ++i) {
    const double tolerance = relative * std::max(1.0, std::abs(expected.values[i]));
    if (actual.values[i] == expected.values[i]) continue;
    ASSERT_LE(std::abs(actual.values[i] - expected.values[i]), tolerance)
        << "element " << i << ": " << actual.values[i] << ", not " << expected.values[i];
  }
}

/// Returns whether the family takes the op. If so, checks that its result is that of the whole op although there is
/// garbage beyond uneven dimensions: NaN, or for integers a number far outside.
inline bool check_root(const hlo::Module& whole, const std::vector<hlo::Literal>& arguments, const mesh::Mesh& mesh,
                       const mesh::ValueSharding& parameters, const mesh::ValueSharding& wanted, Family family,
                       const partition::PartitionOptions& options = {}, double relative = 0) {
  const PartitionedOp partitioned = partition_root(whole, mesh, parameters, wanted, family, options);
  if (!partitioned.is_taken) return false;
  std::vector<std::vector<hlo::Literal>> shards(static_cast<std::size_t>(mesh.partitions()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_real = hlo::is_floating_point(arguments[i].shape.element_type);
    const double garbage = is_real ? std::numeric_limits<double>::quiet_NaN() : 77777;
    const std::vector<hlo::Literal> parts = partition::split_into_shards(mesh, arguments[i], {parameters[i]}, garbage);
    for (std::size_t p = 0; p < shards.size(); ++p) shards[p].push_back(parts[p]);
  }
  const hlo::Literal expected = eval::evaluate(whole, arguments);
  const std::vector<hlo::Literal> results = eval::evaluate_partitions(partitioned.module, shards);
  expect_equal(partition::join(mesh, expected.shape, results, partitioned.results), expected, relative);
  return true;
}

/// Shardings of the entry's parameters and of its root, drawn at random.
inline bool check_random(const hlo::Module& whole, const std::vector<hlo::Literal>& arguments, std::mt19937& random,
                         Family family, const partition::PartitionOptions& options = {}, double relative = 0) {
  const mesh::Mesh mesh = random_mesh(random);
  mesh::ValueSharding parameters, wanted;
  for (const hlo::Literal& argument : arguments)
    parameters.push_back(random_sharding(mesh, argument.shape.rank(), random));
  const hlo::Computation& entry = whole.entry_computation();
  for (const hlo::Shape& shape : arrays_of(entry[entry.root].shape)) {
    wanted.push_back(random_sharding(mesh, shape.rank(), random));
  }
  const bool is_taken = check_root(whole, arguments, mesh, parameters, wanted, family, options, relative);
  if (::testing::Test::HasFailure()) {
    ADD_FAILURE() << mesh::to_string(mesh) << "\n" << hlo::to_string(whole);
    for (const mesh::AxisSharding& sharding : parameters)
      ADD_FAILURE() << "parameter " << mesh::to_string(mesh, sharding);
    for (const mesh::AxisSharding& sharding : wanted) ADD_FAILURE() << "wanted " << mesh::to_string(mesh, sharding);
  }
  return is_taken;
}

}  // namespace podsim::hlo::spmd::testing
