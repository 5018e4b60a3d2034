// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/weight_update_sharding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "sw/graph/evaluator.h"
#include "sw/graph/graph_builder.h"
#include "tests/sw/graph/literals.h"

namespace podsim::sw {
namespace {

const Mesh& replicas_of_32() {
  static const Mesh mesh = Mesh::parse("r=32");
  return mesh;
}

/// In how many parts each dimension of an array is cut over 32 replicas.
std::vector<std::int64_t> cuts(std::vector<std::int64_t> sizes) {
  const Mesh& mesh = replicas_of_32();
  const Shape shape = make_shape(ElementType::f32, std::move(sizes));
  const AxisSharding sharding = cut_for_update(mesh, shape, replicated(shape.rank()), mesh.all());
  std::vector<std::int64_t> result;
  for (int d = 0; d < shape.rank(); ++d) result.push_back(shards(mesh, sharding, d));
  return result;
}

using Counts = std::vector<std::int64_t>;

// An array of fewer than 8 rows lies in tiles of 2 or 4 x 128, a vector in tiles of 256: below that nothing is saved.
TEST(WeightUpdateSharding, CutsTheFirstDimensionsThatDivide) {
  EXPECT_EQ(cuts({4096, 1024}), (Counts{32, 1}));
  EXPECT_EQ(cuts({16, 4096}), (Counts{1, 32})) << "the rows are too few";
  EXPECT_EQ(cuts({16, 1024}), (Counts{8, 1})) << "two rows take as much as one, and pieces of rows are no row";
  EXPECT_EQ(cuts({4, 16, 1024}), (Counts{4, 8, 1})) << "behind single elements";
  EXPECT_EQ(cuts({3, 3, 32, 64}), (Counts{1, 1, 16, 1})) << "the rest are copies";
  EXPECT_EQ(cuts({1024}), (Counts{4}));
  EXPECT_EQ(cuts({}), Counts{});
}

// 30522 = 2 * 3 * 5087 words of 1024 features: 954 for each replica but the last.
TEST(WeightUpdateSharding, CutsUnevenlyWhereNothingDivides) { EXPECT_EQ(cuts({30522, 1024}), (Counts{32, 1})); }

RC_GTEST_PROP(WeightUpdateSharding, ShardsTakeTheirShareOfTheMemory, ()) {
  const Mesh mesh({{"a", *rc::gen::inRange(1, 9)}, {"b", *rc::gen::inRange(1, 13)}});
  std::vector<std::int64_t> sizes;
  for (int rank = *rc::gen::inRange(0, 4); rank > 0; --rank) sizes.push_back(*rc::gen::inRange(1, 2000));
  const Shape shape = make_shape(ElementType::f32, sizes);
  const AxisSharding sharding = cut_for_update(mesh, shape, replicated(shape.rank()), mesh.all());
  const SubAxes used = sharding.used();
  RC_ASSERT(std::ranges::adjacent_find(used) == used.end());
  double share = 1;
  for (SubAxis sub_axis : used) share *= 1.25 / double(mesh.size(sub_axis));
  const double whole = double(padded_bytes(shape).value());
  RC_ASSERT(double(padded_bytes(local_shape(mesh, shape, sharding)).value()) <= share * whole * (1 + 1e-9));
  RC_ASSERT(cut_for_update(mesh, shape, sharding, used) == sharding);
}

/// x w with a loss, and w' = w - r m', m' = m + 2 w: parameters x, w, m, r.
struct Step {
  Module module;
  std::vector<Donation> donations = {{0, 1, 0}, {1, 2, 0}};
};

Step small_step() {
  GraphBuilder b("step");
  const InstructionId x = b.parameter(make_shape(ElementType::bf16, {16, 256}), "x");
  const InstructionId w = b.parameter(make_shape(ElementType::f32, {256, 128}), "w");
  const InstructionId m = b.parameter(make_shape(ElementType::f32, {256, 128}), "m");
  const InstructionId r = b.parameter(make_shape(ElementType::f32, {}), "r");
  const InstructionId y = b.dot(x, b.convert(w, ElementType::bf16), {{}, {}, {1}, {0}});
  const InstructionId loss = b.reduce_add(y, {0, 1});
  const InstructionId momentum = b.add(m, b.multiply(w, b.full_like(w, 2)));
  const InstructionId updated = b.subtract(w, b.multiply(b.broadcast(r, {256, 128}), momentum));
  const InstructionId root = b.tuple({updated, momentum, loss});
  return {std::move(b).build(root)};
}

std::vector<ValueSharding> nothing_cut(const Module& module) {
  std::vector<ValueSharding> result;
  for (const Instruction& instruction : module.entry_computation().instructions) {
    result.push_back(replicated(instruction.shape));
  }
  return result;
}

const Instruction& named(const Module& module, std::string_view name) {
  return *std::ranges::find(module.entry_computation().instructions, name, &Instruction::name);
}

TEST(WeightUpdateSharding, TheNetworkReadsWholeNarrowWeightsAndTheUpdateShards) {
  const Step step = small_step();
  const Mesh& mesh = replicas_of_32();
  const UpdateSharding sharded =
      shard_weight_update(step.module, mesh, mesh.all(), step.donations, nothing_cut(step.module));
  verify(sharded.module);
  const Computation& entry = sharded.module.entry_computation();
  const AxisSharding rows = parse_axes(mesh, {"r"}, 2);
  for (const char* name : {"w", "m"}) {
    ASSERT_NE(named(sharded.module, name).sharding, nullptr);
    EXPECT_EQ(from_hlo(mesh, *named(sharded.module, name).sharding, 2), rows);
  }
  for (int i : {0, 1}) {
    ASSERT_NE(entry[entry[entry.root].operands[std::size_t(i)]].sharding, nullptr);
    EXPECT_EQ(from_hlo(mesh, *entry[entry[entry.root].operands[std::size_t(i)]].sharding, 2), rows);
  }
  const auto dot = std::ranges::find(entry.instructions, Opcode::dot, &Instruction::opcode);
  const Instruction& read = entry[dot->operands[1]];
  EXPECT_EQ(read.target, "Sharding");
  EXPECT_EQ(*read.sharding, Sharding{});
  EXPECT_EQ(read.shape.element_type, ElementType::bf16) << "gathered after the conversion";
  EXPECT_EQ(std::ranges::count(entry.instructions, Opcode::custom_call, &Instruction::opcode), 1);
  EXPECT_EQ(sharded.memory.whole, base::Bytes(2 * 256 * 128 * 4));
  EXPECT_EQ(sharded.memory.cut, base::Bytes(2 * 256 * 128 * 4 / 32));
}

TEST(WeightUpdateSharding, LeavesSmallArraysWhole) {
  const Step step = small_step();
  const Mesh& mesh = replicas_of_32();
  const auto cut_from = [&](std::int64_t least) {
    return shard_weight_update(step.module, mesh, mesh.all(), step.donations, nothing_cut(step.module),
                               base::Bytes(least))
        .memory.cut;
  };
  EXPECT_EQ(cut_from(256 * 128 * 4 + 1), base::Bytes(2 * 256 * 128 * 4));
  EXPECT_EQ(cut_from(256 * 128 * 4), base::Bytes(2 * 256 * 128 * 4 / 32));
}

TEST(WeightUpdateSharding, MeansTheSameBeforeAnythingIsPartitioned) {
  const Step step = small_step();
  const Mesh& mesh = replicas_of_32();
  const Module sharded =
      shard_weight_update(step.module, mesh, mesh.all(), step.donations, nothing_cut(step.module)).module;
  std::vector<Literal> arguments;
  for (InstructionId id : step.module.entry_computation().parameters) {
    arguments.push_back(testing::random_literal(step.module.entry_computation()[id].shape, unsigned(id)));
  }
  const Literal expected = evaluate(step.module, arguments), actual = evaluate(sharded, arguments);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same_values(actual.elements[i], expected.elements[i])) << i;
}

TEST(WeightUpdateSharding, AResultThatIsNoTupleStaysAsItIs) {
  GraphBuilder b("m");
  Module module = std::move(b).build(b.parameter(make_shape(ElementType::f32, {1024, 1024}), "x"));
  const std::vector<Donation> donations{{.output = 0, .parameter = 0, .element = 0}};
  const UpdateSharding sharded = shard_weight_update(module, replicas_of_32(), donations);
  EXPECT_EQ(sharded.module.entry_computation().instructions.size(), 1U);
  EXPECT_EQ(sharded.memory.whole, base::Bytes(0));
}

}  // namespace
}  // namespace podsim::sw
