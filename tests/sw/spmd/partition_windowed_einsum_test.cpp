// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "sw/compiler/compile.h"
#include "sw/graph/graph_builder.h"
#include "sw/runtime/simulation.h"
#include "tests/sw/graph/hlo_text.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/spmd/one_op.h"
#include "tests/sw/spmd/ring_bytes.h"

namespace podsim::sw {
namespace {

using testing::check_random;
using testing::check_root;
using testing::random_integers;

constexpr ElementType f32 = ElementType::f32;
const PartitionOptions options{.windowed_einsum = true};

std::int64_t draw(std::mt19937& random, int low, int high) { return low + int(random() % unsigned(high - low + 1)); }

/// A dot of some batch, contracting and free dimensions in any order.
Module random_dot(std::mt19937& random, std::vector<Literal>& arguments, ElementType type) {
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
  GraphBuilder b("whole");
  std::vector<InstructionId> operands;
  for (const std::size_t k : {0, 1}) {
    arguments.push_back(random_integers(make_shape(type, sizes[k]), random, -3, 3));
    operands.push_back(b.parameter(arguments.back().shape, k == 0 ? "x" : "y"));
  }
  return std::move(b).build(b.dot(operands[0], operands[1], {batch[0], batch[1], contracting[0], contracting[1]}));
}

TEST(partition_windowed_einsum, dots_in_steps_are_those_of_the_whole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<Literal> arguments;
    const Module module = random_dot(random, arguments, seed % 3 == 0 ? ElementType::bf16 : f32);
    taken += check_random(module, arguments, random, partition_windowed_einsum, options, 0.02) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

/// x[m, k] y[k, n] over "x" of 4 positions.
struct Product {
  Mesh mesh{{{"x", 4}}};
  Module module;
  Product(std::int64_t m, std::int64_t k, std::int64_t n) {
    GraphBuilder b("whole");
    const InstructionId x = b.parameter(make_shape(f32, {m, k}), "x"), y = b.parameter(make_shape(f32, {k, n}), "y");
    module = std::move(b).build(b.dot(x, y, {{}, {}, {1}, {0}}));
  }
  AxisSharding axes(const std::vector<std::string>& dimensions) const { return parse_axes(mesh, dimensions, 2); }
};

/// The loop's body, and how often it runs.
const Computation& body_of(const Module& module, std::int64_t& trips) {
  for (const Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode != Opcode::while_loop) continue;
    trips = instruction.trip_count;
    return module.computations[std::size_t(instruction.called[1])];
  }
  ADD_FAILURE() << "no loop";
  return module.entry_computation();
}

TEST(partition_windowed_einsum, a_gathered_operand_goes_round_beside_the_products) {
  // Tokens cut, weights cut by features: the weights have to come by.
  const Product product(4096, 32, 64);
  const testing::PartitionedOp op =
      testing::partition_root(product.module, product.mesh, {product.axes({"x", ""}), product.axes({"", "x"})},
                              {product.axes({"x", ""})}, partition_windowed_einsum, options);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(op.results[0], product.axes({"x", ""}));
  EXPECT_EQ(testing::ring_bytes(op.module), 0) << "no collective outside of the loop";
  EXPECT_EQ(to_string(testing::graph_of(to_string(op.module))), to_string(op.module));
  std::int64_t trips = 0;
  const Computation& body = body_of(op.module, trips);
  EXPECT_EQ(trips, 3);
  EXPECT_EQ(body.name, "windowed_einsum_body");
  std::vector<int> order;  // start, dot, done
  for (const Instruction& instruction : body.instructions) {
    if (instruction.opcode == Opcode::dot) order.push_back(1);
    if (instruction.opcode != Opcode::collective_permute) continue;
    order.push_back(instruction.phase == AsyncPhase::start ? 0 : 2);
    EXPECT_EQ(instruction.shape.dimensions, (std::vector<std::int64_t>{32, 16})) << "a shard of the weights";
  }
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(partition_windowed_einsum, a_sum_goes_round_to_where_its_part_is_wanted) {
  const Product product(64, 4096, 64);
  const testing::PartitionedOp op =
      testing::partition_root(product.module, product.mesh, {product.axes({"", "x"}), product.axes({"x", ""})},
                              {product.axes({"x", ""})}, partition_windowed_einsum, options);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(op.results[0], product.axes({"x", ""}));
  EXPECT_EQ(testing::ring_bytes(op.module), 0);
  std::int64_t trips = 0;
  const Computation& body = body_of(op.module, trips);
  EXPECT_EQ(trips, 3);
  for (const Instruction& instruction : body.instructions) {
    if (instruction.opcode != Opcode::collective_permute) continue;
    EXPECT_EQ(instruction.shape.dimensions, (std::vector<std::int64_t>{16, 64}));
  }
}

TEST(partition_windowed_einsum, small_shards_and_dots_without_collectives_are_left_alone) {
  const Product product(4096, 32, 64);
  const ValueSharding operands{product.axes({"x", ""}), product.axes({"", "x"})};
  const ValueSharding wanted{product.axes({"x", ""})};
  const auto takes = [&](const ValueSharding& shardings, const PartitionOptions& chosen) {
    return testing::partition_root(product.module, product.mesh, shardings, wanted, partition_windowed_einsum, chosen)
        .is_taken;
  };
  const std::int64_t shard = 32 * 16 * 4;
  EXPECT_TRUE(takes(operands, {.windowed_einsum = true, .windowed_einsum_bytes = shard}));
  EXPECT_FALSE(takes(operands, {.windowed_einsum = true, .windowed_einsum_bytes = shard + 1}));
  EXPECT_FALSE(takes(operands, {}));
  EXPECT_FALSE(takes({operands[0], replicated(2)}, options));
}

/// The step of bf16[m, k] x bf16[k, n] on the eight cores of 2x2 chips, in steps or as one dot.
RunResult simulated(const std::array<std::int64_t, 3>& sizes, const std::vector<std::string>& x,
                    const std::vector<std::string>& y, const PartitionOptions& chosen) {
  const Mesh mesh({{"x", 8}});
  GraphBuilder b("whole");
  const auto [m, k, n] = sizes;
  const InstructionId left = b.parameter(make_shape(ElementType::bf16, {m, k}), "x");
  const InstructionId right = b.parameter(make_shape(ElementType::bf16, {k, n}), "y");
  const Module module = std::move(b).build(b.dot(left, right, {{}, {}, {1}, {0}}));
  const ValueSharding wanted{parse_axes(mesh, {"x", ""}, 2)};
  const testing::PartitionedOp op = testing::partition_root(
      module, mesh, {parse_axes(mesh, x, 2), parse_axes(mesh, y, 2)}, wanted, partition_op, chosen);
  const hw::Machine machine = hw::tpu_v3();
  return testing::run(compile(op.module, machine).program, machine, testing::open_2x2(), {});
}

TEST(partition_windowed_einsum, what_goes_round_is_hidden_behind_longer_products) {
  const std::array<std::int64_t, 3> sizes{8192, 8192, 8192};
  const RunResult whole = simulated(sizes, {"x", ""}, {"", "x"}, {});
  const RunResult in_steps = simulated(sizes, {"x", ""}, {"", "x"}, options);
  EXPECT_GT(whole.collective.value(), whole.step_time.value() / 5);
  EXPECT_EQ(in_steps.collective.value(), 0);
  EXPECT_LT(in_steps.step_time, whole.step_time);
}

TEST(partition_windowed_einsum, sums_that_go_round_are_hidden_behind_longer_products) {
  const std::array<std::int64_t, 3> sizes{8192, 65536, 8192};
  const RunResult whole = simulated(sizes, {"", "x"}, {"x", ""}, {});
  const RunResult in_steps = simulated(sizes, {"", "x"}, {"x", ""}, options);
  EXPECT_GT(whole.collective.value(), 0);
  EXPECT_EQ(in_steps.collective.value(), 0);
}

}  // namespace
}  // namespace podsim::sw
