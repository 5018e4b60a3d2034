// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/weight_update_sharding.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::spmd::propagate {
namespace {

const mesh::Mesh& replicas_of_32() {
  static const mesh::Mesh mesh = mesh::Mesh::parse("r=32");
  return mesh;
}

/// The number of shards along each dimension of an array over 32 replicas.
std::vector<std::int64_t> split(std::vector<std::int64_t> sizes) {
  const mesh::Mesh& mesh = replicas_of_32();
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, std::move(sizes));
  const mesh::AxisSharding sharding = shard_for_update(mesh, shape, mesh::replicated(shape.rank()), mesh.all());
  std::vector<std::int64_t> result;
  for (int d = 0; d < shape.rank(); ++d) result.push_back(mesh::shards(mesh, sharding, d));
  return result;
}

using Counts = std::vector<std::int64_t>;

// Shards are rows of elements, as short as they have to be for every core to have one.
TEST(WeightUpdateSharding, CutsTheFirstDimensionsThatDivide) {
  EXPECT_EQ(split({4096, 1024}), (Counts{32, 1}));
  EXPECT_EQ(split({16, 4096}), (Counts{16, 2})) << "half of a row each";
  EXPECT_EQ(split({16, 8}), (Counts{16, 2})) << "behind single elements";
  EXPECT_EQ(split({4, 16, 3}), (Counts{4, 8, 1})) << "behind single elements";
  EXPECT_EQ(split({3, 3, 32, 64}), (Counts{1, 1, 32, 1}));
  EXPECT_EQ(split({1024}), (Counts{32}));
  EXPECT_EQ(split({3}), (Counts{1})) << "most cores would have none";
  EXPECT_EQ(split({}), Counts{});
}

// 30522 = 2 * 3 * 5087 words of 1024 features: 954 for each replica but the last.
TEST(WeightUpdateSharding, CutsUnevenlyWhereNothingDivides) { EXPECT_EQ(split({30522, 1024}), (Counts{32, 1})); }

// Weights of heads, two to a core: 256 cores that hold the same ones have four rows each of what they hold.
TEST(WeightUpdateSharding, CutsRowsOfWhatIsSplitAlready) {
  const mesh::Mesh mesh = mesh::Mesh::parse("data=256,model=4");
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {1024, 8, 128});
  const mesh::AxisSharding heads = mesh::parse_axes(mesh, {"", "model"}, 3);
  EXPECT_EQ(shard_for_update(mesh, shape, heads, mesh.all()), mesh::parse_axes(mesh, {"data", "model"}, 3));
}

RC_GTEST_PROP(WeightUpdateSharding, ShardsHaveTheirShareOfTheElements, ()) {
  const mesh::Mesh mesh({{"a", *rc::gen::inRange(1, 9)}, {"b", *rc::gen::inRange(1, 13)}});
  std::vector<std::int64_t> sizes;
  for (int rank = *rc::gen::inRange(0, 4); rank > 0; --rank) sizes.push_back(*rc::gen::inRange(1, 2000));
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, sizes);
  const mesh::AxisSharding sharding = shard_for_update(mesh, shape, mesh::replicated(shape.rank()), mesh.all());
  const mesh::SubAxes used = sharding.used();
  RC_ASSERT(std::ranges::adjacent_find(used) == used.end());
  double share = 1;
  for (mesh::SubAxis sub_axis : used) share *= 1.25 / double(mesh.size(sub_axis));
  const hlo::Shape shard = mesh::local_shape(mesh, shape, sharding);
  RC_ASSERT(double(shard.element_count()) <= share * double(shape.element_count()) * (1 + 1e-9));
  RC_ASSERT(hlo::padded_bytes(shard) <= hlo::padded_bytes(shape));
  RC_ASSERT(shard_for_update(mesh, shape, sharding, used) == sharding);
}

/// x w with a loss, and w' = w - r m', m' = m + 2 w: parameters x, w, m, r.
struct Step {
  hlo::Module module;
  std::vector<hlo::Donation> donations = {{0, 1, 0}, {1, 2, 0}};
};

Step small_step() {
  build::GraphBuilder b("step");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {16, 256}), "x");
  const hlo::InstructionId w = b.parameter(hlo::make_shape(hlo::ElementType::f32, {256, 128}), "w");
  const hlo::InstructionId m = b.parameter(hlo::make_shape(hlo::ElementType::f32, {256, 128}), "m");
  const hlo::InstructionId r = b.parameter(hlo::make_shape(hlo::ElementType::f32, {}), "r");
  const hlo::InstructionId y = b.dot(x, b.convert(w, hlo::ElementType::bf16), {{}, {}, {1}, {0}});
  const hlo::InstructionId loss = b.reduce_add(y, {0, 1});
  const hlo::InstructionId momentum = b.add(m, b.multiply(w, b.full_like(w, 2)));
  const hlo::InstructionId updated = b.subtract(w, b.multiply(b.broadcast(r, {256, 128}), momentum));
  const hlo::InstructionId root = b.tuple({updated, momentum, loss});
  return {std::move(b).build(root)};
}

std::vector<mesh::ValueSharding> nothing_cut(const hlo::Module& module) {
  std::vector<mesh::ValueSharding> result;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    result.push_back(mesh::replicated(instruction.shape));
  }
  return result;
}

const hlo::Instruction& named(const hlo::Module& module, std::string_view name) {
  return *std::ranges::find(module.entry_computation().instructions, name, &hlo::Instruction::name);
}

TEST(WeightUpdateSharding, TheNetworkReadsWholeNarrowWeightsAndTheUpdateShards) {
  const Step step = small_step();
  const mesh::Mesh& mesh = replicas_of_32();
  const UpdateSharding sharded =
      shard_weight_update(step.module, mesh, mesh.all(), step.donations, nothing_cut(step.module), base::Bytes(0));
  build::verify(sharded.module);
  const hlo::Computation& entry = sharded.module.entry_computation();
  const mesh::AxisSharding rows = mesh::parse_axes(mesh, {"r"}, 2);
  for (const char* name : {"w", "m"}) {
    ASSERT_NE(named(sharded.module, name).sharding, nullptr);
    EXPECT_EQ(mesh::from_hlo(mesh, *named(sharded.module, name).sharding, 2), rows);
  }
  for (int i : {0, 1}) {
    ASSERT_NE(entry[entry[entry.root].operands[std::size_t(i)]].sharding, nullptr);
    EXPECT_EQ(mesh::from_hlo(mesh, *entry[entry[entry.root].operands[std::size_t(i)]].sharding, 2), rows);
  }
  const auto dot = std::ranges::find(entry.instructions, hlo::Opcode::dot, &hlo::Instruction::opcode);
  const hlo::Instruction& read = entry[dot->operands[1]];
  EXPECT_EQ(read.target, "Sharding");
  EXPECT_EQ(*read.sharding, hlo::Sharding{});
  EXPECT_EQ(read.shape.element_type, hlo::ElementType::bf16) << "gathered after the conversion";
  EXPECT_EQ(std::ranges::count(entry.instructions, hlo::Opcode::custom_call, &hlo::Instruction::opcode), 1);
  EXPECT_EQ(sharded.memory.whole, base::Bytes(2 * 256 * 128 * 4));
  EXPECT_EQ(sharded.memory.sharded, base::Bytes(2 * 256 * 128 * 4 / 32));
}

TEST(WeightUpdateSharding, LeavesSmallArraysWhole) {
  const Step step = small_step();
  const mesh::Mesh& mesh = replicas_of_32();
  const auto shard_from = [&](std::int64_t least) {
    return shard_weight_update(step.module, mesh, mesh.all(), step.donations, nothing_cut(step.module), base::Bytes(0),
                               base::Bytes(least))
        .memory.sharded;
  };
  EXPECT_EQ(shard_from(256 * 128 * 4 + 1), base::Bytes(2 * 256 * 128 * 4));
  EXPECT_EQ(shard_from(256 * 128 * 4), base::Bytes(2 * 256 * 128 * 4 / 32));
}

TEST(WeightUpdateSharding, MeansTheSameBeforeAnythingIsPartitioned) {
  const Step step = small_step();
  const mesh::Mesh& mesh = replicas_of_32();
  const hlo::Module sharded =
      shard_weight_update(step.module, mesh, mesh.all(), step.donations, nothing_cut(step.module), base::Bytes(0))
          .module;
  std::vector<hlo::Literal> arguments;
  for (hlo::InstructionId id : step.module.entry_computation().parameters) {
    arguments.push_back(hlo::testing::random_literal(step.module.entry_computation()[id].shape, unsigned(id)));
  }
  const hlo::Literal expected = eval::evaluate(step.module, arguments), actual = eval::evaluate(sharded, arguments);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(hlo::same_values(actual.elements[i], expected.elements[i])) << i;
}

TEST(WeightUpdateSharding, AResultThatIsNoTupleStaysAsItIs) {
  build::GraphBuilder b("m");
  hlo::Module module = std::move(b).build(b.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 1024}), "x"));
  const std::vector<hlo::Donation> donations{{.output = 0, .parameter = 0, .element = 0}};
  const UpdateSharding sharded = shard_weight_update(module, replicas_of_32(), donations);
  EXPECT_EQ(sharded.module.entry_computation().instructions.size(), 1U);
  EXPECT_EQ(sharded.memory.whole, base::Bytes(0));
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
