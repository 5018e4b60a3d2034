// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sw/graph/evaluator.h"
#include "tests/sw/spmd/ring_bytes.h"
#include "tests/sw/spmd/sharded_program.h"

namespace podsim::sw {
namespace {

using testing::moves_of;
using testing::ShardedProgram;

std::pair<Module, std::vector<Literal>> drawn(const std::vector<std::string>& axes) {
  ShardedProgram p(Mesh({{"x", 2}, {"y", 3}}));
  GraphBuilder& b = p.builder;
  Instruction rng;
  rng.opcode = Opcode::rng;
  rng.target = "rng_uniform";
  rng.shape = make_shape(ElementType::f32, {7, 6});
  rng.operands = {b.constant(ElementType::f32, 1), b.constant(ElementType::f32, 2)};
  const InstructionId numbers = p.cut(b.add(std::move(rng)), axes);
  Module local = std::move(p).partitioned(p.cut(b.negate(numbers), axes));
  std::vector<Literal> results = evaluate_partitions(local, std::vector<std::vector<Literal>>(6));
  for (const Literal& result : results) {
    for (const double number : result.values) EXPECT_TRUE(number <= -1 && number >= -2) << number;
  }
  return {std::move(local), std::move(results)};
}

TEST(PartitionRng, EveryPartitionDrawsItsShard) {
  const auto [local, results] = drawn({"x", "y"});
  EXPECT_EQ(moves_of(local), "");
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < p; ++q) EXPECT_FALSE(same_values(results[std::size_t(p)], results[std::size_t(q)]));
  }
}

TEST(PartitionRng, PartitionsThatHoldTheSameShardHaveTheSameNumbers) {
  const auto [local, results] = drawn({"x"});
  EXPECT_EQ(moves_of(local), "all-reduce");
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < p; ++q) {
      EXPECT_EQ(same_values(results[std::size_t(p)], results[std::size_t(q)]), p / 3 == q / 3) << p << " " << q;
    }
  }
}

}  // namespace
}  // namespace podsim::sw
