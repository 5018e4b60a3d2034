// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/collective_combiner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler::fuse {
namespace {

constexpr int partition_count = 3;

std::vector<const hlo::Instruction*> all_reduces(const hlo::Module& module) {
  std::vector<const hlo::Instruction*> found;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode == hlo::Opcode::all_reduce) found.push_back(&instruction);
  }
  return found;
}

base::Bytes bytes_of(const std::vector<const hlo::Instruction*>& list) {
  base::Bytes sum;
  for (const hlo::Instruction* instruction : list) sum += hlo::logical_bytes(instruction->shape);
  return sum;
}

/// Arguments with different numbers for each partition.
std::vector<std::vector<hlo::Literal>> arguments_for(const hlo::Module& module) {
  std::vector<std::vector<hlo::Literal>> arguments(partition_count);
  unsigned seed = 1;
  for (std::vector<hlo::Literal>& own : arguments) {
    for (hlo::InstructionId id : module.entry_computation().parameters) {
      own.push_back(hlo::testing::random_literal(module.entry_computation()[id].shape, seed++));
    }
  }
  return arguments;
}

/// Independent gradients of the given sizes in the given type, all-reduced one by one.
hlo::Module gradients(const std::vector<std::int64_t>& sizes, hlo::ElementType type = hlo::ElementType::bf16) {
  hlo::build::GraphBuilder b("gradients");
  std::vector<hlo::InstructionId> sums;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sums.push_back(b.all_reduce(b.parameter(hlo::make_shape(type, {sizes[i]}), "g" + std::to_string(i))));
  }
  return std::move(b).build(b.tuple(sums));
}

TEST(CollectiveCombiner, GradientsBelowTheThresholdBecomeOneAllReduceOfAllOfThem) {
  hlo::Module combined = combine_collectives(gradients({100, 200, 300}), base::Bytes(1200));
  auto found = all_reduces(combined);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->operands.size(), 3U);
  EXPECT_EQ(hlo::logical_bytes(found[0]->shape), base::Bytes(1200));
}

TEST(CollectiveCombiner, OneByteLessThanTheSumNeedsTwo) {
  hlo::Module combined = combine_collectives(gradients({100, 200, 300}), base::Bytes(1199));
  auto found = all_reduces(combined);
  EXPECT_EQ(found.size(), 2U);
}

TEST(CollectiveCombiner, AnArrayAboveTheThresholdStandsAlone) {
  hlo::Module combined = combine_collectives(gradients({10, 1000, 10}), base::Bytes(100));
  auto found = all_reduces(combined);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->operands.size() + found[1]->operands.size(), 3U);
}

TEST(CollectiveCombiner, ElementTypesAreNotMixed) {
  hlo::build::GraphBuilder b("types");
  hlo::InstructionId narrow = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {8}), "narrow");
  hlo::InstructionId wide = b.parameter(hlo::make_shape(hlo::ElementType::f32, {8}), "wide");
  hlo::Module module = std::move(b).build(b.tuple({b.all_reduce(narrow), b.all_reduce(wide)}));
  EXPECT_EQ(all_reduces(combine_collectives(module, base::Bytes(1 << 20))).size(), 2U);
}

TEST(CollectiveCombiner, AnAllReduceThatNeedsAnotherIsNotCombinedWithIt) {
  // Two parallel chains of two: the firsts may be combined, and the seconds, but never a first with a second.
  hlo::build::GraphBuilder b("chains");
  std::vector<hlo::InstructionId> firsts, ends;
  for (const char* name : {"x", "y"})
    firsts.push_back(b.all_reduce(b.parameter(hlo::make_shape(hlo::ElementType::f32, {4}), name)));
  for (hlo::InstructionId first : firsts) ends.push_back(b.all_reduce(b.multiply(first, first)));
  hlo::Module module = std::move(b).build(b.tuple(ends));
  hlo::Module combined = combine_collectives(module, base::Bytes(1 << 20));
  EXPECT_NO_THROW(hlo::build::verify(combined));
  EXPECT_EQ(all_reduces(combined).size(), 2U);
  auto arguments = arguments_for(module);
  auto expected = hlo::eval::evaluate_partitions(module, arguments),
       actual = hlo::eval::evaluate_partitions(combined, arguments);
  for (int p = 0; p < partition_count; ++p) {
    for (int i : {0, 1}) EXPECT_EQ(actual[p].elements[i].values, expected[p].elements[i].values);
  }
}

/// Arrays of random sizes; some all-reduces take sums of earlier values, all-reduced or not.
hlo::Module random_module() {
  hlo::build::GraphBuilder b("random");
  std::int64_t size = *rc::gen::inRange(1, 5);
  std::vector<hlo::InstructionId> values;
  int parameters = *rc::gen::inRange(1, 5);
  for (int i = 0; i < parameters; ++i) {
    values.push_back(b.parameter(hlo::make_shape(hlo::ElementType::f32, {size}), "p" + std::to_string(i)));
  }
  int steps = *rc::gen::inRange(1, 15);
  for (int i = 0; i < steps; ++i) {
    hlo::InstructionId x = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    hlo::InstructionId y = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    values.push_back(*rc::gen::arbitrary<bool>() ? b.all_reduce(x) : b.add(x, y));
  }
  return std::move(b).build(b.tuple(values));
}

RC_GTEST_PROP(CollectiveCombiner, AnyModuleKeepsItsResultsItsBytesAndTheThreshold, ()) {
  hlo::Module module = random_module();
  base::Bytes threshold(*rc::gen::inRange(1, 80));
  hlo::Module combined = combine_collectives(module, threshold);
  hlo::build::verify(combined);
  auto before = all_reduces(module), after = all_reduces(combined);
  RC_ASSERT(bytes_of(before) == bytes_of(after));
  RC_ASSERT(after.size() <= before.size());
  for (const hlo::Instruction* instruction : after) {
    RC_ASSERT(instruction->operands.size() == 1 || hlo::logical_bytes(instruction->shape) <= threshold);
  }
  auto arguments = arguments_for(module);
  auto expected = hlo::eval::evaluate_partitions(module, arguments),
       actual = hlo::eval::evaluate_partitions(combined, arguments);
  for (int p = 0; p < partition_count; ++p) {
    for (std::size_t i = 0; i < expected[p].elements.size(); ++i) {
      RC_ASSERT(actual[p].elements[i].values == expected[p].elements[i].values);
    }
  }
}

/// A collective over all partitions, of a kind that keeps the type.
hlo::InstructionId collective(hlo::build::GraphBuilder& b, hlo::Opcode opcode, hlo::InstructionId operand,
                              hlo::Shape shape, std::int64_t dimension) {
  hlo::Instruction instruction;
  instruction.opcode = opcode;
  instruction.operands = {operand};
  instruction.shape = std::move(shape);
  instruction.dimensions = {dimension};
  instruction.participants.edit().channel_id = 1;
  if (opcode == hlo::Opcode::reduce_scatter) instruction.called = {b.combiner(hlo::Opcode::add, hlo::ElementType::f32)};
  return b.add(std::move(instruction));
}

hlo::Shape f32(std::vector<std::int64_t> dimensions) {
  return hlo::make_shape(hlo::ElementType::f32, std::move(dimensions));
}

std::vector<const hlo::Instruction*> of(const hlo::Module& module, hlo::Opcode opcode) {
  std::vector<const hlo::Instruction*> found;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode == opcode) found.push_back(&instruction);
  }
  return found;
}

/// Weights in shards of one row are gathered and used layer by layer, in a chain.
hlo::Module layers(int count, std::vector<std::int64_t> gathered_along) {
  hlo::build::GraphBuilder b("layers");
  hlo::InstructionId x = b.parameter(f32({partition_count, partition_count}), "x");
  std::vector<hlo::InstructionId> shards;
  for (int i = 0; i < count; ++i) {
    const bool rows = gathered_along[std::size_t(i) % gathered_along.size()] == 0;
    shards.push_back(
        b.parameter(rows ? f32({1, partition_count}) : f32({partition_count, 1}), "w" + std::to_string(i)));
  }
  for (int i = 0; i < count; ++i) {
    const std::int64_t along = gathered_along[std::size_t(i) % gathered_along.size()];
    x = b.add(x, collective(b, hlo::Opcode::all_gather, shards[std::size_t(i)], f32({partition_count, partition_count}),
                            along));
  }
  hlo::Module module = std::move(b).build(x);
  module.partitions = partition_count;
  return module;
}

void expect_same_results(const hlo::Module& module, const hlo::Module& combined) {
  hlo::build::verify(combined);
  const auto arguments = arguments_for(module);
  const auto expected = hlo::eval::evaluate_partitions(module, arguments),
             actual = hlo::eval::evaluate_partitions(combined, arguments);
  for (int p = 0; p < partition_count; ++p) EXPECT_EQ(actual[p].values, expected[p].values);
}

TEST(CollectiveCombiner, AllGathersAlongOneDimensionBecomeOne) {
  const hlo::Module module = layers(4, {0});
  const hlo::Module combined = combine_collectives(module, base::Bytes(4 * 36));
  ASSERT_EQ(of(combined, hlo::Opcode::all_gather).size(), 1U);
  EXPECT_EQ(of(combined, hlo::Opcode::all_gather)[0]->operands.size(), 4U);
  expect_same_results(module, combined);
}

TEST(CollectiveCombiner, AllGathersAlongDifferentDimensionsStayApart) {
  const hlo::Module module = layers(4, {0, 1});
  const hlo::Module combined = combine_collectives(module, base::Bytes(1 << 20));
  EXPECT_EQ(of(combined, hlo::Opcode::all_gather).size(), 2U);
  expect_same_results(module, combined);
}

TEST(CollectiveCombiner, WeightsAreGatheredNoEarlierThanTheFirstOfTheirGroupIsNeeded) {
  // Two gathers fit together: the third and fourth weights must not be gathered while the first two are used.
  const hlo::Module combined = combine_collectives(layers(4, {0}), base::Bytes(2 * 36));
  const hlo::Computation& entry = combined.entry_computation();
  std::vector<hlo::Opcode> order;
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode == hlo::Opcode::all_gather || instruction.opcode == hlo::Opcode::add) {
      order.push_back(instruction.opcode);
    }
  }
  EXPECT_EQ(order, (std::vector{hlo::Opcode::all_gather, hlo::Opcode::add, hlo::Opcode::add, hlo::Opcode::all_gather,
                                hlo::Opcode::add, hlo::Opcode::add}));
}

TEST(CollectiveCombiner, ColumnsOfAnInputAreGatheredTogetherWhateverLooksRowsUpByThem) {
  hlo::build::GraphBuilder b("tables");
  const hlo::InstructionId batch = b.parameter(f32({1, 3}), "batch");
  const hlo::InstructionId w = b.parameter(f32({1, 4}), "w");
  hlo::DotDimensions rows_by_columns;
  rows_by_columns.lhs_contracting = {1};
  rows_by_columns.rhs_contracting = {0};
  hlo::InstructionId sum = -1;
  for (int i = 0; i < 3; ++i) {
    const hlo::InstructionId own = b.slice(batch, {{0, 1}, {i, i + 1}});
    const hlo::InstructionId all = collective(b, hlo::Opcode::all_gather, own, f32({partition_count, 1}), 0);
    const hlo::InstructionId rows = b.dot(all, w, rows_by_columns);
    sum = sum < 0 ? rows : b.add(sum, rows);
  }
  hlo::Module module = std::move(b).build(sum);
  module.partitions = partition_count;
  const hlo::Module combined = combine_collectives(module, base::Bytes(1 << 20));
  const auto found = of(combined, hlo::Opcode::all_gather);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->operands.size(), 3U);
  expect_same_results(module, combined);
}

TEST(CollectiveCombiner, WhatAProductNeedsDoesNotWaitForTheOthers) {
  // The first sum goes into a product before the second is available; sums of it and the third may wait.
  hlo::build::GraphBuilder b("chain");
  const hlo::InstructionId x = b.parameter(f32({4, 4}), "x");
  const hlo::InstructionId first = b.all_reduce(x);
  hlo::DotDimensions rows_by_columns;
  rows_by_columns.lhs_contracting = {1};
  rows_by_columns.rhs_contracting = {0};
  const hlo::InstructionId product = b.dot(b.negate(first), x, rows_by_columns);
  const hlo::InstructionId second = b.all_reduce(product);
  const hlo::InstructionId third = b.all_reduce(b.negate(product));
  const hlo::Module module = std::move(b).build(b.add(b.negate(second), third));
  const hlo::Module combined = combine_collectives(module, base::Bytes(1 << 20));
  const auto found = all_reduces(combined);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->operands.size(), 1U);
  EXPECT_EQ(found[1]->operands.size(), 2U);
  expect_same_results(module, combined);
}

TEST(CollectiveCombiner, ReduceScattersBecomeOneAndGroupsAreNotMixed) {
  hlo::build::GraphBuilder b("scatters");
  std::vector<hlo::InstructionId> shards;
  for (int i = 0; i < 3; ++i) {
    const hlo::InstructionId gradient = b.parameter(f32({partition_count, 2}), "g" + std::to_string(i));
    shards.push_back(collective(b, hlo::Opcode::reduce_scatter, gradient, f32({1, 2}), 0));
  }
  hlo::InstructionId sum = shards[0];
  for (int i = 1; i < 3; ++i) sum = b.add(sum, shards[std::size_t(i)]);
  hlo::Module module = std::move(b).build(sum);
  module.partitions = partition_count;
  const hlo::Module combined = combine_collectives(module, base::Bytes(1 << 20));
  EXPECT_EQ(of(combined, hlo::Opcode::reduce_scatter).size(), 1U);
  expect_same_results(module, combined);

  for (hlo::Instruction& instruction : module.computations[std::size_t(module.entry)].instructions) {
    if (instruction.name != of(module, hlo::Opcode::reduce_scatter)[0]->name) continue;
    instruction.participants.edit().groups = {{2, 1, 0}};
    break;
  }
  EXPECT_EQ(of(combine_collectives(module, base::Bytes(1 << 20)), hlo::Opcode::reduce_scatter).size(), 2U);
}

// b2 joins b1, which precedes a1, so a2, which is computed from b2, cannot join a1.
TEST(CollectiveCombiner, WhatCompletesASumComesBehindAllThatItIsCombinedWith) {
  const hlo::Module module = hlo::text::testing::graph_of(R"(HloModule m, num_partitions=4
add {
  l = f32[] parameter(0)
  r = f32[] parameter(1)
  ROOT s = f32[] add(l, r)
}
ENTRY e {
  p = f32[8,4] parameter(0)
  q = f32[8,4] parameter(1)
  a1 = f32[4,4] reduce-scatter(p), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=add
  b1 = f32[4,4] all-reduce(a1), channel_id=2, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add
  b2 = f32[8,4] all-reduce(q), channel_id=3, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add
  n = f32[8,4] negate(b2)
  a2 = f32[4,4] reduce-scatter(n), channel_id=4, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=add
  d = f32[4,4] add(b1, a2)
  ROOT t = (f32[4,4], f32[4,4]) tuple(d, b1)
}
)");
  const hlo::Module combined = combine_collectives(module, base::Bytes(1 << 20));
  ASSERT_FALSE(combined.entry_computation().instructions.empty());
  std::vector<std::vector<hlo::Literal>> arguments(4);
  unsigned seed = 1;
  for (std::vector<hlo::Literal>& own : arguments) {
    for (int k = 0; k < 2; ++k)
      own.push_back(hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::f32, {8, 4}), seed++));
  }
  const auto expected = hlo::eval::evaluate_partitions(module, arguments),
             actual = hlo::eval::evaluate_partitions(combined, arguments);
  for (std::size_t p = 0; p < expected.size(); ++p) {
    for (int i : {0, 1}) EXPECT_EQ(actual[p].elements[i].values, expected[p].elements[i].values);
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
