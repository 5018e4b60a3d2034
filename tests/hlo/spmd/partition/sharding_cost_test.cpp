// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/sharding_cost.h"

#include <gtest/gtest.h>

#include <string>

#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/propagate/device_branches.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::spmd::partition {
namespace {

ShardingCost cost_on_four(const std::string& text) {
  const hlo::Module whole = propagate::write_device_branches(text::testing::graph_of(text), 4).module;
  const mesh::Mesh mesh = mesh::Mesh::parse("x=4");
  return total(sharding_costs(whole, partition(whole, mesh, propagate::propagate(whole, mesh))));
}

constexpr double cube = 128.0 * 128 * 128;

std::string product_line(const std::string& name, const std::string& left, const std::string& sharding) {
  return "  " + name + " = f32[128,128] dot(" + left + ", " + left +
         "), lhs_contracting_dims={1}, rhs_contracting_dims={0}" + sharding + "\n";
}

TEST(ShardingCost, WhatIsNotCutCountsOnEachPartition) {
  for (const char* partitions : {"1", "4"}) {  // of the module, which the mesh may divide further
    const ShardingCost cost =
        cost_on_four("HloModule m, num_partitions=" + std::string(partitions) +
                     "\nENTRY main {\n  x = f32[128,128] parameter(0)\n" + product_line("ROOT y", "x", "") + "}\n");
    EXPECT_EQ(cost.whole_macs, cube);
    EXPECT_EQ(cost.sharded_macs, 4 * cube);
    EXPECT_EQ(cost.manual_macs, 0);
  }
}

// Two products on device 0 and one on device 3 are three products, sharded or not; the one after them runs on all four.
TEST(ShardingCost, AnOperationOnOneDeviceCountsThere) {
  for (const char* partitions : {"1", "4"}) {
    const std::string on_0 = ", sharding={maximal device=0}", on_3 = ", sharding={maximal device=3}";
    const ShardingCost cost = cost_on_four(
        "HloModule m, num_partitions=" + std::string(partitions) + "\nENTRY main {\n  x = f32[128,128] parameter(0)\n" +
        product_line("a", "x", on_0) + product_line("b", "a", on_0) + product_line("c", "x", on_3) +
        "  s = f32[128,128] add(b, c), sharding={replicated}\n" + product_line("ROOT y", "s", "") + "}\n");
    EXPECT_EQ(cost.sharded_macs, (3 + 4) * cube);
    EXPECT_EQ(cost.whole_macs, 4 * cube);
  }
}

// Four shards of 32 rows each, which the program multiplies in manual mode, then a product that is not sharded.
TEST(ShardingCost, ShardsThatTheProgramCutsAreNoMoreThanUncut) {
  const std::string cut = "{devices=[4,1]<=[4]}";
  const ShardingCost cost = cost_on_four(
      "HloModule m, num_partitions=4\nENTRY main {\n  x = f32[128,128] parameter(0)\n"
      "  c = f32[128,128] custom-call(x), custom_call_target=\"Sharding\", sharding=" +
      cut +
      "\n  s = f32[32,128] custom-call(c), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
      "  r = f32[128,128] custom-call(x), custom_call_target=\"Sharding\", sharding={replicated}\n"
      "  w = f32[128,128] custom-call(r), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
      "  d = f32[32,128] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={manual}\n"
      "  e = f32[32,128] custom-call(d), custom_call_target=\"Sharding\", sharding={manual}\n"
      "  f = f32[128,128] custom-call(e), custom_call_target=\"SPMDShardToFullShape\", sharding=" +
      cut + "\n" + product_line("ROOT y", "f", ", sharding={replicated}") + "}\n");
  EXPECT_EQ(cost.manual_macs, cube);
  EXPECT_EQ(cost.whole_macs, 2 * cube);
  EXPECT_GE(cost.sharded_macs, 2 * cube);
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
