// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "sw/driver/compile.h"
#include "sw/ir/build/graph_builder.h"
#include "sw/runtime/simulation.h"
#include "tests/sw/ir/element_types.h"
#include "tests/sw/ir/hlo_text.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/spmd/one_op.h"
#include "tests/sw/spmd/ring_bytes.h"

namespace podsim::sw::spmd::partition {
namespace {

using testing::check_random;
using testing::check_root;
using testing::random_integers;

using ir::testing::f32;
const partition::PartitionOptions options{.windowed_einsum = true};

using testing::draw;

/// A dot of some batch, contracting and free dimensions in any order.
ir::Module random_dot(std::mt19937& random, std::vector<ir::Literal>& arguments, ir::ElementType type) {
  std::array<std::vector<std::int64_t>, 2> sizes;
  std::array<std::vector<int>, 2> batch, contracting;
  const auto append = [&](std::size_t k, std::int64_t size) {
    sizes[k].push_back(size);
    return int(sizes[k].size()) - 1;
  };
  std::vector<int> kinds{0, 1, 2, int(random() % 3)};
  if (random() % 2 == 0) kinds.push_back(3);
  std::shuffle(kinds.begin(), kinds.end(), random);
  for (const int kind : kinds) {
    const std::int64_t size = draw(random, 1, 9);
    if (kind < 2) {
      append(std::size_t(kind), size);
      continue;
    }
    std::array<std::vector<int>, 2>& lists = kind == 2 ? contracting : batch;
    for (const std::size_t k : {0, 1}) lists[k].push_back(append(k, size));
  }
  ir::build::GraphBuilder b("whole");
  std::vector<ir::InstructionId> operands;
  for (const std::size_t k : {0, 1}) {
    arguments.push_back(testing::random_integers(ir::make_shape(type, sizes[k]), random, -3, 3));
    operands.push_back(b.parameter(arguments.back().shape, k == 0 ? "x" : "y"));
  }
  return std::move(b).build(b.dot(operands[0], operands[1], {batch[0], batch[1], contracting[0], contracting[1]}));
}

TEST(PartitionWindowedEinsum, DotsInStepsAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<ir::Literal> arguments;
    const ir::Module module = random_dot(random, arguments, seed % 3 == 0 ? ir::ElementType::bf16 : f32);
    taken +=
        testing::check_random(module, arguments, random, partition::partition_windowed_einsum, options, 0.02) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

/// x[m, k] y[k, n] over "x" of 4 positions.
struct Product {
  mesh::Mesh mesh{{{"x", 4}}};
  ir::Module module;
  Product(std::int64_t m, std::int64_t k, std::int64_t n) {
    ir::build::GraphBuilder b("whole");
    const ir::InstructionId x = b.parameter(ir::make_shape(f32, {m, k}), "x"),
                            y = b.parameter(ir::make_shape(f32, {k, n}), "y");
    module = std::move(b).build(b.dot(x, y, {{}, {}, {1}, {0}}));
  }
  mesh::AxisSharding axes(const std::vector<std::string>& dimensions) const {
    return mesh::parse_axes(mesh, dimensions, 2);
  }
};

/// The loop's body and its trip count.
const ir::Computation& body_of(const ir::Module& module, std::int64_t& trips) {
  for (const ir::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode != ir::Opcode::while_loop) continue;
    trips = instruction.trip_count;
    return module.computations[std::size_t(instruction.called[1])];
  }
  ADD_FAILURE() << "no loop";
  return module.entry_computation();
}

TEST(PartitionWindowedEinsum, AGatheredOperandGoesRoundBesideTheProducts) {
  // Tokens are split, and weights by features: the weights have to circulate.
  const Product product(4096, 32, 64);
  const testing::PartitionedOp op =
      testing::partition_root(product.module, product.mesh, {product.axes({"x", ""}), product.axes({"", "x"})},
                              {product.axes({"x", ""})}, partition::partition_windowed_einsum, options);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(op.results[0], product.axes({"x", ""}));
  EXPECT_EQ(testing::ring_bytes(op.module), 0) << "no collective outside of the loop";
  EXPECT_EQ(ir::to_string(ir::testing::graph_of(ir::to_string(op.module))), ir::to_string(op.module));
  std::int64_t trips = 0;
  const ir::Computation& body = body_of(op.module, trips);
  EXPECT_EQ(trips, 3);
  EXPECT_EQ(body.name, "windowed_einsum_body");
  std::vector<int> order;  // start, dot, done
  for (const ir::Instruction& instruction : body.instructions) {
    if (instruction.opcode == ir::Opcode::dot) order.push_back(1);
    if (instruction.opcode != ir::Opcode::collective_permute) continue;
    order.push_back(instruction.phase == ir::AsyncPhase::start ? 0 : 2);
    EXPECT_EQ(instruction.shape.dimensions, (std::vector<std::int64_t>{32, 16})) << "a shard of the weights";
  }
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(PartitionWindowedEinsum, ASumGoesRoundToWhereItsPartIsWanted) {
  const Product product(64, 4096, 64);
  const testing::PartitionedOp op =
      testing::partition_root(product.module, product.mesh, {product.axes({"", "x"}), product.axes({"x", ""})},
                              {product.axes({"x", ""})}, partition::partition_windowed_einsum, options);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(op.results[0], product.axes({"x", ""}));
  EXPECT_EQ(testing::ring_bytes(op.module), 0);
  std::int64_t trips = 0;
  const ir::Computation& body = body_of(op.module, trips);
  EXPECT_EQ(trips, 3);
  for (const ir::Instruction& instruction : body.instructions) {
    if (instruction.opcode != ir::Opcode::collective_permute) continue;
    EXPECT_EQ(instruction.shape.dimensions, (std::vector<std::int64_t>{16, 64}));
  }
}

TEST(PartitionWindowedEinsum, SmallShardsAndDotsWithoutCollectivesAreLeftAlone) {
  const Product product(4096, 32, 64);
  const mesh::ValueSharding operands{product.axes({"x", ""}), product.axes({"", "x"})};
  const mesh::ValueSharding wanted{product.axes({"x", ""})};
  const auto takes = [&](const mesh::ValueSharding& shardings, const partition::PartitionOptions& chosen) {
    return testing::partition_root(product.module, product.mesh, shardings, wanted,
                                   partition::partition_windowed_einsum, chosen)
        .is_taken;
  };
  const std::int64_t shard = 32 * 16 * 4;
  EXPECT_TRUE(takes(operands, {.windowed_einsum = true, .windowed_einsum_bytes = shard}));
  EXPECT_FALSE(takes(operands, {.windowed_einsum = true, .windowed_einsum_bytes = shard + 1}));
  EXPECT_FALSE(takes(operands, {}));
  EXPECT_FALSE(takes({operands[0], mesh::replicated(2)}, options));
}

/// The step of bf16[m, k] x bf16[k, n] on the eight cores of 2x2 chips, in steps or as one dot.
runtime::RunResult simulated(const std::array<std::int64_t, 3>& sizes, const std::vector<std::string>& x,
                             const std::vector<std::string>& y, const partition::PartitionOptions& chosen) {
  const mesh::Mesh mesh({{"x", 8}});
  ir::build::GraphBuilder b("whole");
  const auto [m, k, n] = sizes;
  const ir::InstructionId left = b.parameter(ir::make_shape(ir::ElementType::bf16, {m, k}), "x");
  const ir::InstructionId right = b.parameter(ir::make_shape(ir::ElementType::bf16, {k, n}), "y");
  const ir::Module module = std::move(b).build(b.dot(left, right, {{}, {}, {1}, {0}}));
  const mesh::ValueSharding wanted{mesh::parse_axes(mesh, {"x", ""}, 2)};
  const testing::PartitionedOp op =
      testing::partition_root(module, mesh, {mesh::parse_axes(mesh, x, 2), mesh::parse_axes(mesh, y, 2)}, wanted,
                              partition::partition_op, chosen);
  const hw::Machine machine = hw::tpu_v3();
  return runtime::testing::run(driver::compile(op.module, machine).program, machine, runtime::testing::open_2x2(), {});
}

TEST(PartitionWindowedEinsum, WhatGoesRoundIsHiddenBehindLongerProducts) {
  const std::array<std::int64_t, 3> sizes{8192, 8192, 8192};
  const runtime::RunResult whole = simulated(sizes, {"x", ""}, {"", "x"}, {});
  const runtime::RunResult in_steps = simulated(sizes, {"x", ""}, {"", "x"}, options);
  EXPECT_GT(whole.collective.value(), whole.step_time.value() / 5);
  EXPECT_EQ(in_steps.collective.value(), 0);
  EXPECT_LT(in_steps.step_time, whole.step_time);
}

TEST(PartitionWindowedEinsum, SumsThatGoRoundAreHiddenBehindLongerProducts) {
  const std::array<std::int64_t, 3> sizes{8192, 65536, 8192};
  const runtime::RunResult whole = simulated(sizes, {"", "x"}, {"x", ""}, {});
  const runtime::RunResult in_steps = simulated(sizes, {"", "x"}, {"x", ""}, options);
  EXPECT_GT(whole.collective.value(), 0);
  EXPECT_EQ(in_steps.collective.value(), 0);
}

}  // namespace
}  // namespace podsim::sw::spmd::partition
