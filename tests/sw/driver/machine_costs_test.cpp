// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/machine_costs.h"

#include <gtest/gtest.h>

#include "tests/hlo/spmd/sharded_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::driver {
namespace {

TEST(PartitionCosts, AreRatiosOfTheMachinesRates) {
  sw::TargetMachine machine = sw::tpu_v3();
  const hlo::spmd::partition::PartitionCosts costs = partition_costs(machine);
  EXPECT_DOUBLE_EQ(costs.per_product, 82e9 / machine.passes.partition_products);
  EXPECT_DOUBLE_EQ(costs.per_memory_byte, 82e9 / machine.passes.partition_memory.si());
  machine.passes.partition_link = machine.passes.partition_link / 10;
  EXPECT_DOUBLE_EQ(partition_costs(machine).per_product, costs.per_product / 10);
}

/// Columns of the array that a product [256,2048] x [2048,4096] with 256 rows split over 8 partitions gathers for a
/// replicated result.
std::int64_t gathered_columns(const hlo::spmd::partition::PartitionCosts& costs) {
  hlo::spmd::testing::ShardedProgram program(hlo::spmd::mesh::Mesh({{"x", 8}}));
  hlo::build::GraphBuilder& b = program.builder;
  const auto x = program.annotate(b.parameter(hlo::make_shape(hlo::ElementType::f32, {256, 2048}), "x"), {"x", ""});
  const auto w = b.parameter(hlo::make_shape(hlo::ElementType::f32, {2048, 4096}), "w");
  const auto y = b.dot(x, w, {{}, {}, {1}, {0}});
  const hlo::Module local = std::move(program).partitioned(y, {.costs = costs});
  for (const hlo::Instruction& instruction : local.entry_computation().instructions) {
    if (instruction.opcode == hlo::Opcode::all_gather) return instruction.shape.dimensions[1];
  }
  return 0;
}

// To gather the operand moves 2 MiB and multiplies 256 rows on every partition; to gather the result moves 4 MiB and
// multiplies 32. The 1.9 G products that the second saves are worth 4.7 MB of a link of TPU v3, more than the
// 7/8 of 2 MiB that it adds; on a link ten times slower they are worth 0.47 MB, less.
TEST(PartitionCosts, OfALinkTenTimesSlowerChangeASplit) {
  sw::TargetMachine machine = sw::tpu_v3();
  EXPECT_EQ(gathered_columns(partition_costs(machine)), 4096);
  machine.passes.partition_link = machine.passes.partition_link / 10;
  EXPECT_EQ(gathered_columns(partition_costs(machine)), 2048);
}

}  // namespace
}  // namespace podsim::sw::driver
