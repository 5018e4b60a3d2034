// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"
#include "tests/hlo/spmd/ring_bytes.h"
#include "tests/hlo/spmd/sharded_program.h"

namespace podsim::hlo::spmd::partition {
namespace {

using testing::moves_of;
using testing::ShardedProgram;

std::pair<hlo::Module, std::vector<hlo::Literal>> drawn(const std::vector<std::string>& axes) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 2}, {"y", 3}}));
  build::GraphBuilder& b = p.builder;
  hlo::Instruction rng;
  rng.opcode = hlo::Opcode::rng;
  rng.target = "rng_uniform";
  rng.shape = hlo::make_shape(hlo::ElementType::f32, {7, 6});
  rng.operands = {b.constant(hlo::ElementType::f32, 1), b.constant(hlo::ElementType::f32, 2)};
  const hlo::InstructionId numbers = p.annotate(b.add(std::move(rng)), axes);
  hlo::Module local = std::move(p).partitioned(p.annotate(b.negate(numbers), axes));
  std::vector<hlo::Literal> results = eval::evaluate_partitions(local, std::vector<std::vector<hlo::Literal>>(6));
  for (const hlo::Literal& result : results) {
    for (const double number : result.values) EXPECT_TRUE(number <= -1 && number >= -2) << number;
  }
  return {std::move(local), std::move(results)};
}

TEST(PartitionRng, EveryPartitionDrawsItsShard) {
  const auto [local, results] = drawn({"x", "y"});
  EXPECT_EQ(testing::moves_of(local), "");
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < p; ++q) EXPECT_FALSE(hlo::same_values(results[std::size_t(p)], results[std::size_t(q)]));
  }
}

TEST(PartitionRng, PartitionsThatHoldTheSameShardHaveTheSameNumbers) {
  const auto [local, results] = drawn({"x"});
  EXPECT_EQ(testing::moves_of(local), "all-reduce");
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < p; ++q) {
      EXPECT_EQ(hlo::same_values(results[std::size_t(p)], results[std::size_t(q)]), p / 3 == q / 3) << p << " " << q;
    }
  }
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
