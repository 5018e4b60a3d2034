// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/device_branches.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/propagate/propagation.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using text::testing::graph_of;

std::vector<std::string> names_of(const std::vector<UnplacedValue>& values) {
  std::vector<std::string> names;
  for (const UnplacedValue& value : values) names.push_back(value.name);
  return names;
}

hlo::Literal numbers(const hlo::Shape& shape, std::mt19937& random) {
  hlo::Literal literal = hlo::make_zeros(shape);
  for (double& value : literal.values) value = double(int(random() % 17)) - 8;
  return literal;
}

/// The partitioned program on a mesh of one axis, evaluated on all partitions, gives every one the whole program's
/// result.
void expect_same(const hlo::Module& module, std::int64_t partitions) {
  const mesh::Mesh mesh({{"x", partitions}});
  DeviceBranches branches = write_device_branches(module, partitions);
  build::verify(branches.module);
  const ModuleShardings shardings = propagate(branches.module, mesh);
  const hlo::Module local = partition::partition(branches.module, mesh, shardings);
  build::verify(local);

  std::mt19937 random(1);
  const hlo::Computation& entry = module.entry_computation();
  std::vector<hlo::Literal> whole;
  std::vector<std::vector<hlo::Literal>> shards;
  shards.resize(std::size_t(partitions));
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    whole.push_back(numbers(entry[entry.parameters[i]].shape, random));
    const hlo::Computation& placed = branches.module.entry_computation();
    const mesh::AxisSharding& sharding =
        shardings.values[std::size_t(branches.module.entry)][std::size_t(placed.parameters[i])].front();
    const auto parts = partition::split_into_shards(mesh, whole.back(), {sharding});
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  hlo::Module alone = module;
  alone.partitions = 1;
  const hlo::Literal expected = eval::evaluate(alone, whole);
  for (const hlo::Literal& result : eval::evaluate_partitions(local, shards)) {
    EXPECT_EQ(result.values, expected.values) << hlo::to_string(local);
  }
}

constexpr const char* four = R"(HloModule four, num_partitions=4
ENTRY main {
  x = f32[8,8] parameter(0), sharding={devices=[4,1]<=[4]}
  w = f32[8,8] parameter(1), sharding={replicated}
  half = f32[] constant(0.5)
  halves = f32[8,8] broadcast(half), dimensions={}
  a = f32[8,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={maximal device=0}
  a2 = f32[8,8] multiply(a, halves)
  b = f32[8,8] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={maximal device=1}
  b2 = f32[8,8] add(b, b)
  c = f32[8,8] subtract(x, w), sharding={maximal device=2}
  d = f32[8,8] add(a2, c), sharding={maximal device=3}
  e = f32[8,8] negate(d), sharding={maximal device=0}
  f = f32[8,8] add(e, a), sharding={maximal device=0}
  ab = f32[8,8] add(b2, f)
  ROOT sum = f32[8,8] add(ab, a2), sharding={replicated}
}
)";

TEST(DeviceBranches, GiveTheValuesOfTheWholeProgram) { expect_same(graph_of(four), 4); }

// a and e are on device 0, and the path between them leads over device 3: they are two branches, and b, c and d one
// each.
TEST(DeviceBranches, AreTakenByTheirDeviceAlone) {
  const DeviceBranches branches = write_device_branches(graph_of(four), 4);
  EXPECT_TRUE(branches.unused.empty());
  int conditionals = 0, permutes = 0, broadcasts = 0;
  for (const hlo::Instruction& instruction : branches.module.entry_computation().instructions) {
    EXPECT_FALSE(instruction.sharding && instruction.sharding->kind == hlo::Sharding::Kind::maximal);
    EXPECT_NE(instruction.opcode, hlo::Opcode::dot);
    conditionals += instruction.opcode == hlo::Opcode::conditional ? 1 : 0;
    permutes += instruction.opcode == hlo::Opcode::collective_permute ? 1 : 0;
    broadcasts += instruction.opcode == hlo::Opcode::collective_broadcast ? 1 : 0;
  }
  EXPECT_EQ(conditionals, 5);
  EXPECT_EQ(permutes, 3);    // a2 and c to device 3, d to device 0
  EXPECT_EQ(broadcasts, 3);  // b2, f, a2
}

TEST(DeviceBranches, NameWhatStaysOnAllDevices) {
  const hlo::Module module = graph_of(R"(HloModule unplaced, num_partitions=2
body {
  s = f32[4] parameter(0)
  ROOT n = f32[4] negate(s), sharding={maximal device=1}
}
condition {
  s = f32[4] parameter(0)
  ROOT p = pred[] constant(false)
}
ENTRY main {
  x = f32[4] parameter(0), sharding={maximal device=1}
  y = f32[4] add(x, x), sharding={maximal device=7}
  z = f32[4] while(y), condition=condition, body=body
  t = (f32[4], f32[4]) tuple(z, y), sharding={{maximal device=1}, {replicated}}
  ROOT r = f32[4] get-tuple-element(t), index=0
}
)");
  const DeviceBranches branches = write_device_branches(module, 2);
  EXPECT_EQ(names_of(branches.unused), (std::vector<std::string>{"n", "x", "y", "t"}));
  EXPECT_EQ(branches.unused[2].reason, "there are devices 0 to 1");
  EXPECT_EQ(hlo::to_string(branches.module), hlo::to_string(module));
}

// A loop on a device and a tuple of its state stay together.
TEST(DeviceBranches, TakeLoopsAlong) {
  expect_same(graph_of(R"(HloModule loop, num_partitions=2
body {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  twice = f32[4] add(v, v)
  ROOT t = (s32[], f32[4]) tuple(next, twice)
}
condition {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT p = pred[] compare(i, three), direction=LT
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] negate(x), sharding={maximal device=1}
  zero = s32[] constant(0)
  state = (s32[], f32[4]) tuple(zero, y)
  loop = (s32[], f32[4]) while(state), condition=condition, body=body
  out = f32[4] get-tuple-element(loop), index=1
  ROOT r = f32[4] add(out, x), sharding={replicated}
}
)"),
              2);
}

/// A program of sums and products over arrays of 8 numbers, each on a device of `partitions` or on all of them.
hlo::Module random_program(std::mt19937& random, int partitions) {
  build::GraphBuilder b("random");
  std::vector<hlo::InstructionId> values;
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {8});
  for (int i = 0; i < 2; ++i) values.push_back(b.parameter(shape, "p" + std::to_string(i)));
  values.push_back(b.full(shape, 2));
  std::set<hlo::InstructionId> placed;
  for (int i = 0; i < 24; ++i) {
    const auto any = [&] { return values[random() % values.size()]; };
    const hlo::InstructionId value = random() % 2 == 0 ? b.maximum(any(), any()) : b.subtract(any(), any());
    if (value >= values.back() && placed.insert(value).second && random() % 3 > 0) {
      hlo::Sharding sharding;
      sharding.kind = random() % 6 == 0 ? hlo::Sharding::Kind::replicated : hlo::Sharding::Kind::maximal;
      if (sharding.kind == hlo::Sharding::Kind::maximal) sharding.device = int(random() % unsigned(partitions));
      b.annotate(value, sharding);
    }
    values.push_back(value);
  }
  hlo::InstructionId root = values.front();
  for (const hlo::InstructionId value : values) root = b.maximum(root, value);
  hlo::Module module = std::move(b).build(root);
  module.partitions = partitions;
  return module;
}

TEST(DeviceBranches, OfRandomProgramsGiveTheirValues) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    expect_same(random_program(random, 3), 3);
  }
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
