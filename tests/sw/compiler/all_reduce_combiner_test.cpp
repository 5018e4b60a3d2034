// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/all_reduce_combiner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "sw/graph/evaluator.h"
#include "sw/graph/graph_builder.h"
#include "tests/sw/graph/literals.h"

namespace podsim::sw {
namespace {

constexpr int kPartitions = 3;

std::vector<const Instruction*> all_reduces(const Module& module) {
  std::vector<const Instruction*> found;
  for (const Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode == Opcode::all_reduce) found.push_back(&instruction);
  }
  return found;
}

base::Bytes bytes_of(const std::vector<const Instruction*>& list) {
  base::Bytes sum;
  for (const Instruction* instruction : list) sum += logical_bytes(instruction->shape);
  return sum;
}

/// Each partition with numbers of its own.
std::vector<std::vector<Literal>> arguments_for(const Module& module) {
  std::vector<std::vector<Literal>> arguments(kPartitions);
  unsigned seed = 1;
  for (std::vector<Literal>& own : arguments) {
    for (InstructionId id : module.entry_computation().parameters) {
      own.push_back(testing::random_literal(module.entry_computation()[id].shape, seed++));
    }
  }
  return arguments;
}

/// Independent gradients of the given sizes in the given type, all-reduced one by one.
Module gradients(const std::vector<std::int64_t>& sizes, ElementType type = ElementType::bf16) {
  GraphBuilder b("gradients");
  std::vector<InstructionId> sums;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sums.push_back(b.all_reduce(b.parameter(make_shape(type, {sizes[i]}), "g" + std::to_string(i))));
  }
  return std::move(b).build(b.tuple(sums));
}

TEST(AllReduceCombiner, GradientsBelowTheThresholdBecomeOneAllReduceOfAllOfThem) {
  Module combined = combine_all_reduces(gradients({100, 200, 300}), base::Bytes(1200));
  auto found = all_reduces(combined);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->operands.size(), 3U);
  EXPECT_EQ(logical_bytes(found[0]->shape), base::Bytes(1200));
}

TEST(AllReduceCombiner, OneByteLessThanTheSumNeedsTwo) {
  Module combined = combine_all_reduces(gradients({100, 200, 300}), base::Bytes(1199));
  auto found = all_reduces(combined);
  EXPECT_EQ(found.size(), 2U);
}

TEST(AllReduceCombiner, AnArrayAboveTheThresholdStandsAlone) {
  Module combined = combine_all_reduces(gradients({10, 1000, 10}), base::Bytes(100));
  auto found = all_reduces(combined);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->operands.size() + found[1]->operands.size(), 3U);
}

TEST(AllReduceCombiner, ElementTypesAreNotMixed) {
  GraphBuilder b("types");
  InstructionId narrow = b.parameter(make_shape(ElementType::bf16, {8}), "narrow");
  InstructionId wide = b.parameter(make_shape(ElementType::f32, {8}), "wide");
  Module module = std::move(b).build(b.tuple({b.all_reduce(narrow), b.all_reduce(wide)}));
  EXPECT_EQ(all_reduces(combine_all_reduces(module, base::Bytes(1 << 20))).size(), 2U);
}

TEST(AllReduceCombiner, AnAllReduceThatNeedsAnotherIsNotCombinedWithIt) {
  // Two chains of two: the firsts can meet, and the seconds, but never a first with a second.
  GraphBuilder b("chains");
  std::vector<InstructionId> ends;
  for (const char* name : {"x", "y"}) {
    InstructionId first = b.all_reduce(b.parameter(make_shape(ElementType::f32, {4}), name));
    ends.push_back(b.all_reduce(b.multiply(first, first)));
  }
  Module module = std::move(b).build(b.tuple(ends));
  Module combined = combine_all_reduces(module, base::Bytes(1 << 20));
  EXPECT_NO_THROW(verify(combined));
  EXPECT_EQ(all_reduces(combined).size(), 2U);
  auto arguments = arguments_for(module);
  auto expected = evaluate_partitions(module, arguments), actual = evaluate_partitions(combined, arguments);
  for (int p = 0; p < kPartitions; ++p) {
    for (int i : {0, 1}) EXPECT_EQ(actual[p].elements[i].values, expected[p].elements[i].values);
  }
}

/// Arrays of random sizes; an all-reduce now and then takes the sum of earlier values, all-reduced or not.
Module random_module() {
  GraphBuilder b("random");
  std::int64_t size = *rc::gen::inRange(1, 5);
  std::vector<InstructionId> values;
  int parameters = *rc::gen::inRange(1, 5);
  for (int i = 0; i < parameters; ++i) {
    values.push_back(b.parameter(make_shape(ElementType::f32, {size}), "p" + std::to_string(i)));
  }
  int steps = *rc::gen::inRange(1, 15);
  for (int i = 0; i < steps; ++i) {
    InstructionId x = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    InstructionId y = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    values.push_back(*rc::gen::arbitrary<bool>() ? b.all_reduce(x) : b.add(x, y));
  }
  return std::move(b).build(b.tuple(values));
}

RC_GTEST_PROP(AllReduceCombiner, AnyModuleKeepsItsResultsItsBytesAndTheThreshold, ()) {
  Module module = random_module();
  base::Bytes threshold(*rc::gen::inRange(1, 80));
  Module combined = combine_all_reduces(module, threshold);
  verify(combined);
  auto before = all_reduces(module), after = all_reduces(combined);
  RC_ASSERT(bytes_of(before) == bytes_of(after));
  RC_ASSERT(after.size() <= before.size());
  for (const Instruction* instruction : after) {
    RC_ASSERT(instruction->operands.size() == 1 || logical_bytes(instruction->shape) <= threshold);
  }
  auto arguments = arguments_for(module);
  auto expected = evaluate_partitions(module, arguments), actual = evaluate_partitions(combined, arguments);
  for (int p = 0; p < kPartitions; ++p) {
    for (std::size_t i = 0; i < expected[p].elements.size(); ++i) {
      RC_ASSERT(actual[p].elements[i].values == expected[p].elements[i].values);
    }
  }
}

}  // namespace
}  // namespace podsim::sw
