// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/partition_costs.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"
#include "tests/sw/spmd/sharded_program.h"

namespace podsim::sw::spmd::partition {
namespace {

TEST(PartitionCosts, AreRatiosOfTheMachinesRates) {
  hw::Machine machine = hw::tpu_v3();
  const PartitionCosts costs = partition_costs(machine);
  EXPECT_DOUBLE_EQ(costs.per_product, 82e9 / machine.compiler.partition_products);
  EXPECT_DOUBLE_EQ(costs.per_memory_byte, 82e9 / machine.compiler.partition_memory.si());
  machine.compiler.partition_link = machine.compiler.partition_link / 10;
  EXPECT_DOUBLE_EQ(partition_costs(machine).per_product, costs.per_product / 10);
}

/// Columns of the array that a product [256,2048] x [2048,4096] with 256 rows split over 8 partitions gathers for a
/// replicated result.
std::int64_t gathered_columns(const PartitionCosts& costs) {
  testing::ShardedProgram program(mesh::Mesh({{"x", 8}}));
  ir::build::GraphBuilder& b = program.builder;
  const auto x = program.annotate(b.parameter(ir::make_shape(ir::ElementType::f32, {256, 2048}), "x"), {"x", ""});
  const auto w = b.parameter(ir::make_shape(ir::ElementType::f32, {2048, 4096}), "w");
  const auto y = b.dot(x, w, {{}, {}, {1}, {0}});
  const ir::Module local = std::move(program).partitioned(y, {.costs = costs});
  for (const ir::Instruction& instruction : local.entry_computation().instructions) {
    if (instruction.opcode == ir::Opcode::all_gather) return instruction.shape.dimensions[1];
  }
  return 0;
}

// To gather the operand moves 2 MiB and multiplies 256 rows on every partition; to gather the result moves 4 MiB and
// multiplies 32. The 1.9 G products that the second saves are worth 4.7 MB of a link of TPU v3, more than the
// 7/8 of 2 MiB that it adds; on a link ten times slower they are worth 0.47 MB, less.
TEST(PartitionCosts, OfALinkTenTimesSlowerChangeASplit) {
  hw::Machine machine = hw::tpu_v3();
  EXPECT_EQ(gathered_columns(partition_costs(machine)), 4096);
  machine.compiler.partition_link = machine.compiler.partition_link / 10;
  EXPECT_EQ(gathered_columns(partition_costs(machine)), 2048);
}

}  // namespace
}  // namespace podsim::sw::spmd::partition
