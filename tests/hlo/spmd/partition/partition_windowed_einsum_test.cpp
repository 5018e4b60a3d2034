// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "hlo/build/graph_builder.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/spmd/one_op.h"
#include "tests/hlo/spmd/ring_bytes.h"

namespace podsim::hlo::spmd::partition {
namespace {

using testing::check_random;
using testing::check_root;
using testing::random_integers;

using hlo::testing::f32;
const partition::PartitionOptions options{.windowed_einsum = true};

using testing::draw;

/// A dot of some batch, contracting and free dimensions in any order.
hlo::Module random_dot(std::mt19937& random, std::vector<hlo::Literal>& arguments, hlo::ElementType type) {
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
  build::GraphBuilder b("whole");
  std::vector<hlo::InstructionId> operands;
  for (const std::size_t k : {0, 1}) {
    arguments.push_back(testing::random_integers(hlo::make_shape(type, sizes[k]), random, -3, 3));
    operands.push_back(b.parameter(arguments.back().shape, k == 0 ? "x" : "y"));
  }
  return std::move(b).build(b.dot(operands[0], operands[1], {batch[0], batch[1], contracting[0], contracting[1]}));
}

TEST(PartitionWindowedEinsum, DotsInStepsAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<hlo::Literal> arguments;
    const hlo::Module module = random_dot(random, arguments, seed % 3 == 0 ? hlo::ElementType::bf16 : f32);
    taken +=
        testing::check_random(module, arguments, random, partition::partition_windowed_einsum, options, 0.02) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

/// x[m, k] y[k, n] over "x" of 4 positions.
struct Product {
  mesh::Mesh mesh{{{"x", 4}}};
  hlo::Module module;
  Product(std::int64_t m, std::int64_t k, std::int64_t n) {
    build::GraphBuilder b("whole");
    const hlo::InstructionId x = b.parameter(hlo::make_shape(f32, {m, k}), "x"),
                             y = b.parameter(hlo::make_shape(f32, {k, n}), "y");
    module = std::move(b).build(b.dot(x, y, {{}, {}, {1}, {0}}));
  }
  mesh::AxisSharding axes(const std::vector<std::string>& dimensions) const {
    return mesh::parse_axes(mesh, dimensions, 2);
  }
};

/// The loop's body and its trip count.
const hlo::Computation& body_of(const hlo::Module& module, std::int64_t& trips) {
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode != hlo::Opcode::while_loop) continue;
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
  EXPECT_EQ(hlo::to_string(hlo::testing::graph_of(hlo::to_string(op.module))), hlo::to_string(op.module));
  std::int64_t trips = 0;
  const hlo::Computation& body = body_of(op.module, trips);
  EXPECT_EQ(trips, 3);
  EXPECT_EQ(body.name, "windowed_einsum_body");
  std::vector<int> order;  // start, dot, done
  for (const hlo::Instruction& instruction : body.instructions) {
    if (instruction.opcode == hlo::Opcode::dot) order.push_back(1);
    if (instruction.opcode != hlo::Opcode::collective_permute) continue;
    order.push_back(instruction.phase == hlo::AsyncPhase::start ? 0 : 2);
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
  const hlo::Computation& body = body_of(op.module, trips);
  EXPECT_EQ(trips, 3);
  for (const hlo::Instruction& instruction : body.instructions) {
    if (instruction.opcode != hlo::Opcode::collective_permute) continue;
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

}  // namespace
}  // namespace podsim::hlo::spmd::partition
