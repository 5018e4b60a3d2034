// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "hlo/spmd/mesh/annotation_mesh.h"
#include "hlo/spmd/mesh/device_numbering.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/propagate/propagation.h"
#include "hlo/transform/inline_calls.h"
#include "tests/hlo/hlo_text.h"

/// Texts with their shardings in all forms: partitioned and evaluated, they give the results of the whole program.
namespace podsim::hlo::spmd::partition {
namespace {

hlo::Module partitioned(const std::string& text) {
  hlo::Module module = transform::inline_calls(hlo::testing::graph_of(text));
  const mesh::DeviceNumbers devices = mesh::device_numbers(module);
  if (!devices.empty()) module = mesh::by_position(std::move(module), devices);
  const mesh::Mesh mesh = mesh::annotation_mesh(module);
  hlo::Module local = partition(module, mesh, propagate::propagate(module, mesh), {});
  return devices.empty() ? local : mesh::by_device(std::move(local), devices);
}

/// The result of each device of a program without parameters.
std::vector<std::vector<double>> results(const hlo::Module& module) {
  std::vector<std::vector<double>> values;
  const std::vector<std::vector<hlo::Literal>> none(std::size_t(module.replicas * module.partitions));
  for (const hlo::Literal& result : eval::evaluate_partitions(module, none)) values.push_back(result.values);
  return values;
}

std::vector<std::vector<double>> on_each(std::size_t devices, const std::vector<double>& values) {
  return std::vector(devices, values);
}

// x = 0 ... 7, so 2 x + 1 = 1, 3, ... 15.
const std::vector<double> odd{1, 3, 5, 7, 9, 11, 13, 15};

TEST(AnnotatedText, ANamedShardingDividesAndGathers) {
  const hlo::Module local = partitioned(R"(HloModule m, num_partitions=8
ENTRY e {
  x = s32[8] iota(), iota_dimension=0, sharding={mesh['a'=2,'b'=4], [{'b','a'}]}
  y = s32[8] add(x, x), sharding={mesh['a'=4,'b'=2], [{'a':(2)2}]}
  one = s32[] constant(1)
  ones = s32[8] broadcast(one), dimensions={}
  ROOT z = s32[8] add(y, ones), sharding={mesh['a'=2], replicated}
})");
  EXPECT_EQ(local.partitions, 8);
  EXPECT_EQ(results(local), on_each(8, odd));
}

// The shards of x are in the order of a ring, that of y is a grid of the same ring: device 6 is at position 4.
TEST(AnnotatedText, DevicesInTheOrderOfARingHoldTheShardsThatTheListSays) {
  const std::string text = R"(HloModule m, num_partitions=8
ENTRY e {
  x = s32[8] iota(), iota_dimension=0, sharding={devices=[8]0,1,2,3,6,7,4,5}
  y = s32[8] add(x, x), sharding={devices=[2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}
  one = s32[] constant(1)
  ones = s32[8] broadcast(one), dimensions={}
  ROOT z = s32[8] add(y, ones), sharding=)";
  EXPECT_EQ(results(partitioned(text + "{replicated} }")), on_each(8, odd));
  const auto shards = results(partitioned(text + "{devices=[8]0,1,2,3,6,7,4,5} }"));
  const std::vector<std::size_t> ring{0, 1, 2, 3, 6, 7, 4, 5};
  for (std::size_t position = 0; position < ring.size(); ++position) {
    EXPECT_EQ(shards.at(ring[position]), std::vector{odd[position]}) << position;
  }
}

// Along k, the body doubles the four numbers that its device has.
TEST(AnnotatedText, ManualComputationsOfShardysRoundTripWorkOnShards) {
  const std::string attributes =
      R"(frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@g, [{\"k\"}]>]>",)"
      R"(xla.sdy.out_shardings="#sdy.sharding_per_value<[<@g, [{\"k\"}]>]>",)"
      R"(xla.sdy.manual_axes="#sdy<manual_axes{\"k\"}>"})";
  const hlo::Module local = partitioned(R"(HloModule m, num_partitions=2, )"
                                        R"(frontend_attributes={xla.sdy.meshes={g = #sdy.mesh<["k"=2]>}}
xla.sdy.manual_computation_body {
  p = s32[4] parameter(0)
  i = u32[] partition-id()
  j = s32[] convert(i)
  n = s32[4] broadcast(j), dimensions={}
  d = s32[4] add(p, p)
  ROOT r = s32[4] add(d, n)
}
ENTRY e {
  x = s32[8] iota(), iota_dimension=0, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@g, [{\"k\"}]>"}
  l = s32[4] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", )" +
                                        attributes + R"(
  c = s32[4] call(l), to_apply=xla.sdy.manual_computation_body
  w = s32[8] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", )" +
                                        attributes + R"(
  ROOT r = s32[8] custom-call(w), custom_call_target="Sharding", sharding={replicated}
})");
  EXPECT_EQ(results(local), on_each(2, {0, 2, 4, 6, 9, 11, 13, 15}));
}

TEST(AnnotatedText, ACallersAnnotationHoldsBesideThatOfItsCallee) {
  const hlo::Module local = partitioned(R"(HloModule m
c { p = s32[8] parameter(0), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
 ROOT n = s32[8] negate(p), sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
}
ENTRY e { x = s32[8] iota(), iota_dimension=0, sharding={replicated}
 ROOT r = s32[8] call(x), to_apply=c, sharding={replicated}
})");
  EXPECT_EQ(local.entry_computation()[local.entry_computation().root].shape.dimensions, std::vector<std::int64_t>{8});
  EXPECT_EQ(results(local), on_each(4, {-0.0, -1, -2, -3, -4, -5, -6, -7}));
}

// Device d has 10 d and 10 d + 1 and sends them to d + 1, which puts them at 2; nothing comes to device 0.
TEST(AnnotatedText, ACollectivePermuteInPlaceWritesSlicesIntoItsSecondOperand) {
  const hlo::Module module = hlo::testing::graph_of(R"(HloModule m, num_partitions=3
ENTRY e {
  n = s32[4] iota(), iota_dimension=0
  i = u32[] partition-id()
  d = s32[] convert(i)
  ten = s32[] constant(10)
  t = s32[] multiply(d, ten)
  b = s32[4] broadcast(t), dimensions={}
  a = s32[4] add(n, b)
  o = s32[4] constant({9,9,9,9})
  zero = s32[] constant(0)
  two = s32[] constant(2)
  from = (s32[]) tuple(zero)
  to = (s32[]) tuple(two)
  ROOT r = s32[4] collective-permute(a, o, from, to), channel_id=1, source_target_pairs={{0,1},{1,2}}, slice_sizes={{2}}
})");
  EXPECT_EQ(results(module), (std::vector<std::vector<double>>{{9, 9, 9, 9}, {9, 9, 0, 1}, {9, 9, 10, 11}}));
  EXPECT_EQ(results(hlo::testing::graph_of(hlo::to_string(module))), results(module));
}

TEST(AnnotatedText, ACollectivePermuteOfSeveralArraysMovesEach) {
  const hlo::Module module = hlo::testing::graph_of(R"(HloModule m, num_partitions=2
ENTRY e {
  i = u32[] partition-id()
  j = u32[] add(i, i)
  p = (u32[], u32[]) collective-permute(i, j), channel_id=1, source_target_pairs={{1,0}}
  a = u32[] get-tuple-element(p), index=0
  b = u32[] get-tuple-element(p), index=1
  x = u32[1] reshape(a)
  y = u32[1] reshape(b)
  ROOT c = u32[2] concatenate(x, y), dimensions={0}
})");
  EXPECT_EQ(results(module), (std::vector<std::vector<double>>{{1, 2}, {0, 0}}));
}

// A shard_map over x = 2 of a mesh with y = 4, as Shardy writes it in HLO: with x = 0 ... 7 on two shards of four, the
// sum over x is {0 + 4, 1 + 5, 2 + 6, 3 + 7}. Inside, y divides each shard into single elements.
TEST(AnnotatedText, ShardsAlongOneAxisAreDividedAlongTheOther) {
  const std::string text =
      R"(HloModule m, num_partitions=8,
  frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=4]>}}
add {
  p = s32[] parameter(0)
  q = s32[] parameter(1)
  ROOT s = s32[] add(p, q)
}
xla.sdy.manual_computation_body {
  shard = s32[4] parameter(0)
  ROOT sum = s32[4] all-reduce(shard), channel_id=1, replica_groups={{0,4},{1,5},{2,6},{3,7}},
    use_global_device_ids=true, to_apply=add
}
ENTRY e {
  i = s32[8] iota(), iota_dimension=0, sharding={devices=[8]<=[8]}
  local = s32[4] custom-call(i), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={
    xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\", ?}]>]>",
    xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  called = s32[4] call(local), to_apply=xla.sdy.manual_computation_body
  whole = s32[4] custom-call(called), custom_call_target="xla.sdy.LocalToGlobalShape", frontend_attributes={
    xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{?}]>]>"}
  ROOT r = s32[4] negate(whole), sharding={replicated}
})";
  const hlo::Module local = partitioned(text);
  EXPECT_EQ(results(local), on_each(8, {-4, -6, -8, -10}));
  EXPECT_NE(hlo::to_string(local).find("s32[1] all-reduce("), std::string::npos) << hlo::to_string(local);
  // Printed and read again, the dimensions that are open are so still.
  EXPECT_EQ(results(partitioned(hlo::to_string(hlo::testing::graph_of(text)))), results(local));
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
