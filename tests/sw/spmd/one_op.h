// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "sw/graph/evaluator.h"
#include "sw/spmd/op_partition.h"
#include "sw/spmd/partitioner.h"

/// One op partitioned by a family and evaluated on virtual partitions, against the op evaluated whole.
namespace podsim::sw::testing {

using Family = std::vector<LocalValue> (*)(LocalProgram&, const OpToPartition&);

/// Whole numbers of [low, high], whose sums are exact.
inline Literal random_integers(const Shape& shape, std::mt19937& random, int low, int high) {
  Literal literal = make_zeros(shape);
  for (double& value : literal.values) value = low + int(random() % unsigned(high - low + 1));
  return literal;
}

/// 2 to 8 partitions along one or two axes.
inline Mesh random_mesh(std::mt19937& random) {
  static const std::vector<Mesh> meshes{
      Mesh({{"x", 2}}),           Mesh({{"x", 3}}),           Mesh({{"x", 4}}),
      Mesh({{"x", 5}}),           Mesh({{"x", 8}}),           Mesh({{"x", 2}, {"y", 2}}),
      Mesh({{"x", 2}, {"y", 3}}), Mesh({{"x", 4}, {"y", 2}}), Mesh({{"x", 3}, {"y", 2}})};
  return meshes[random() % meshes.size()];
}

/// Each axis cuts some dimension or none.
inline AxisSharding random_sharding(const Mesh& mesh, int rank, std::mt19937& random) {
  AxisSharding sharding = replicated(rank);
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const auto d = std::size_t(random() % unsigned(rank + 1));
    if (d == std::size_t(rank)) continue;
    for (const SubAxis sub_axis : mesh.sub_axes(int(axis))) sharding.dimensions[d].push_back(sub_axis);
  }
  return sharding;
}

/// The arrays of a value.
inline std::vector<Shape> arrays_of(const Shape& shape) {
  return shape.is_tuple() ? shape.tuple_shapes : std::vector{shape};
}

struct PartitionedOp {
  Module module;          ///< of one partition; empty where the family did not take the op
  ValueSharding results;  ///< of the root's arrays
  bool is_taken = false;
};

/// The program of the entry's root, whose operands are the entry's parameters or constants, with what is left unreduced
/// added up.
inline PartitionedOp partition_root(const Module& whole, const Mesh& mesh, const ValueSharding& parameters,
                                    const ValueSharding& wanted, Family family, const PartitionOptions& options = {}) {
  const Computation& entry = whole.entry_computation();
  GraphBuilder builder("local");
  LocalProgram program(builder, mesh);
  std::vector<LocalValue> values(entry.instructions.size());
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const Instruction& parameter = entry[entry.parameters[i]];
    const InstructionId id = builder.parameter(local_shape(mesh, parameter.shape, parameters[i]), parameter.name);
    values[std::size_t(entry.parameters[i])] = {id, parameter.shape, parameters[i], {}, Opcode::add};
  }
  OpToPartition op{whole, entry, entry.root, {}, wanted, options};
  for (const InstructionId operand : entry[entry.root].operands) {
    LocalValue& value = values[std::size_t(operand)];
    if (value.id < 0) {
      const Instruction& constant = entry[operand];
      value = {builder.constant(*constant.literal), constant.shape, replicated(constant.shape.rank()), {}, Opcode::add};
    }
    op.operands.push_back(value);
  }
  std::vector<LocalValue> results = family(program, op);
  PartitionedOp partitioned;
  if (results.empty()) return partitioned;
  std::vector<InstructionId> ids;
  for (LocalValue& result : results) {
    if (!result.unreduced.empty()) result.id = program.all_reduce(result.id, result.unreduced, result.combiner);
    EXPECT_TRUE(builder.shape(result.id).compatible(local_shape(mesh, result.shape, result.sharding)))
        << to_string(builder.shape(result.id)) << " of " << to_string(result.shape) << " "
        << to_string(mesh, result.sharding);
    ids.push_back(result.id);
    partitioned.results.push_back(result.sharding);
  }
  const InstructionId root = entry[entry.root].shape.is_tuple() ? builder.tuple(ids) : builder.copy(ids[0]);
  partitioned.module = std::move(builder).build(root);
  partitioned.module.partitions = mesh.partitions();
  partitioned.is_taken = true;
  verify(partitioned.module);
  return partitioned;
}

inline void expect_equal(const Literal& actual, const Literal& expected, double relative) {
  ASSERT_TRUE(actual.shape.compatible(expected.shape)) << to_string(actual.shape);
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

/// Whether the family takes the op; if so its result has to be that of the whole, though there is garbage beyond uneven
/// dimensions: NaN, of integers a number far outside.
inline bool check_root(const Module& whole, const std::vector<Literal>& arguments, const Mesh& mesh,
                       const ValueSharding& parameters, const ValueSharding& wanted, Family family,
                       const PartitionOptions& options = {}, double relative = 0) {
  const PartitionedOp partitioned = partition_root(whole, mesh, parameters, wanted, family, options);
  if (!partitioned.is_taken) return false;
  std::vector<std::vector<Literal>> shards(static_cast<std::size_t>(mesh.partitions()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_real = is_floating_point(arguments[i].shape.element_type);
    const double garbage = is_real ? std::numeric_limits<double>::quiet_NaN() : 77777;
    const std::vector<Literal> parts = cut(mesh, arguments[i], {parameters[i]}, garbage);
    for (std::size_t p = 0; p < shards.size(); ++p) shards[p].push_back(parts[p]);
  }
  const Literal expected = evaluate(whole, arguments);
  const std::vector<Literal> results = evaluate_partitions(partitioned.module, shards);
  expect_equal(join(mesh, expected.shape, results, partitioned.results), expected, relative);
  return true;
}

/// Shardings of the entry's parameters and of its root, drawn at random.
inline bool check_random(const Module& whole, const std::vector<Literal>& arguments, std::mt19937& random,
                         Family family, const PartitionOptions& options = {}, double relative = 0) {
  const Mesh mesh = random_mesh(random);
  ValueSharding parameters, wanted;
  for (const Literal& argument : arguments) parameters.push_back(random_sharding(mesh, argument.shape.rank(), random));
  const Computation& entry = whole.entry_computation();
  for (const Shape& shape : arrays_of(entry[entry.root].shape)) {
    wanted.push_back(random_sharding(mesh, shape.rank(), random));
  }
  const bool is_taken = check_root(whole, arguments, mesh, parameters, wanted, family, options, relative);
  if (::testing::Test::HasFailure()) {
    ADD_FAILURE() << to_string(mesh) << "\n" << to_string(whole);
    for (const AxisSharding& sharding : parameters) ADD_FAILURE() << "parameter " << to_string(mesh, sharding);
    for (const AxisSharding& sharding : wanted) ADD_FAILURE() << "wanted " << to_string(mesh, sharding);
  }
  return is_taken;
}

}  // namespace podsim::sw::testing
