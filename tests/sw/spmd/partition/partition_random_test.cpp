// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sw/ir/eval/evaluator.h"
#include "tests/sw/spmd/ring_bytes.h"
#include "tests/sw/spmd/sharded_program.h"

namespace podsim::sw::spmd::partition {
namespace {

using testing::moves_of;
using testing::ShardedProgram;

std::pair<ir::Module, std::vector<ir::Literal>> drawn(const std::vector<std::string>& axes) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 2}, {"y", 3}}));
  ir::build::GraphBuilder& b = p.builder;
  ir::Instruction rng;
  rng.opcode = ir::Opcode::rng;
  rng.target = "rng_uniform";
  rng.shape = ir::make_shape(ir::ElementType::f32, {7, 6});
  rng.operands = {b.constant(ir::ElementType::f32, 1), b.constant(ir::ElementType::f32, 2)};
  const ir::InstructionId numbers = p.annotate(b.add(std::move(rng)), axes);
  ir::Module local = std::move(p).partitioned(p.annotate(b.negate(numbers), axes));
  std::vector<ir::Literal> results = ir::eval::evaluate_partitions(local, std::vector<std::vector<ir::Literal>>(6));
  for (const ir::Literal& result : results) {
    for (const double number : result.values) EXPECT_TRUE(number <= -1 && number >= -2) << number;
  }
  return {std::move(local), std::move(results)};
}

TEST(PartitionRng, EveryPartitionDrawsItsShard) {
  const auto [local, results] = drawn({"x", "y"});
  EXPECT_EQ(testing::moves_of(local), "");
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < p; ++q) EXPECT_FALSE(ir::same_values(results[std::size_t(p)], results[std::size_t(q)]));
  }
}

TEST(PartitionRng, PartitionsThatHoldTheSameShardHaveTheSameNumbers) {
  const auto [local, results] = drawn({"x"});
  EXPECT_EQ(testing::moves_of(local), "all-reduce");
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < p; ++q) {
      EXPECT_EQ(ir::same_values(results[std::size_t(p)], results[std::size_t(q)]), p / 3 == q / 3) << p << " " << q;
    }
  }
}

}  // namespace
}  // namespace podsim::sw::spmd::partition
