// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "hlo/build/graph_builder.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/spmd/one_op.h"
#include "tests/hlo/spmd/ring_bytes.h"
#include "tests/hlo/spmd/sharded_program.h"

namespace podsim::hlo::spmd::partition {
namespace {

using testing::check_random;
using testing::random_integers;

using hlo::testing::f32;
using hlo::testing::s32;

using testing::draw;

hlo::ElementType random_index_type(std::mt19937& random) {
  static constexpr std::array types{s32, s32, hlo::ElementType::u32, hlo::ElementType::s8, hlo::ElementType::u8};
  return types[random() % types.size()];
}

/// Indices of which some are beyond either end of a dimension.
hlo::Literal random_indices(const hlo::Shape& shape, std::mt19937& random) {
  return testing::random_integers(shape, random, build::lowest_value(shape.element_type) < 0 ? -3 : 0, 14);
}

/// An operand, roles of an index into some of its dimensions, and the sizes of slices.
struct Indexing {
  std::vector<std::int64_t> operand, indices, slice;
  hlo::GatherDimensions roles;
  std::vector<std::int64_t> result;  ///< sizes of a gather's result or a scatter's updates
};

/// Index vectors of one or two numbers, as the last dimension of the indices, for any dimensions. Most slices have one
/// element, and most of these are dropped.
Indexing random_indexing(std::mt19937& random) {
  Indexing indexing;
  const int rank = int(draw(random, 1, 3)), batch = int(draw(random, 0, 2));
  std::vector<int> dimensions;
  for (int d = 0; d < rank; ++d) {
    indexing.operand.push_back(draw(random, 1, 11));
    dimensions.push_back(d);
  }
  std::shuffle(dimensions.begin(), dimensions.end(), random);
  const int indexed = std::min<int>(rank, int(draw(random, 1, 2)));
  for (int i = 0; i < batch; ++i) indexing.indices.push_back(draw(random, 1, 7));
  const bool is_scalar = indexed == 1 && random() % 2 == 0;
  indexing.roles.index_vector = batch;
  if (!is_scalar) indexing.indices.push_back(indexed);
  indexing.roles.index_map.assign(dimensions.begin(), dimensions.begin() + indexed);
  std::vector<std::int64_t> offsets;
  for (int d = 0; d < rank; ++d) {
    const std::int64_t size = indexing.operand[std::size_t(d)];
    const bool is_indexed = std::ranges::find(indexing.roles.index_map, d) != indexing.roles.index_map.end();
    const bool is_single = is_indexed && random() % 4 != 0;
    indexing.slice.push_back(is_single ? 1 : is_indexed ? draw(random, 1, int(size)) : size);
    if (indexing.slice.back() == 1 && is_indexed && random() % 3 != 0) {
      indexing.roles.collapsed.push_back(d);
    } else {
      offsets.push_back(indexing.slice.back());
    }
  }
  // Slices before, after or between the dimensions of the indices.
  std::vector<bool> is_offset(offsets.size() + std::size_t(batch), false);
  std::fill(is_offset.begin(), is_offset.begin() + std::ptrdiff_t(offsets.size()), true);
  std::shuffle(is_offset.begin(), is_offset.end(), random);
  std::size_t next_offset = 0, next_batch = 0;
  for (std::size_t d = 0; d < is_offset.size(); ++d) {
    if (is_offset[d]) indexing.roles.offset.push_back(int(d));
    indexing.result.push_back(is_offset[d] ? offsets[next_offset++] : indexing.indices[next_batch++]);
  }
  return indexing;
}

TEST(PartitionIndexed, GathersAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Indexing indexing = random_indexing(random);
    const hlo::ElementType type = random() % 5 == 0 ? hlo::ElementType::pred : f32;
    const hlo::Shape operand = hlo::make_shape(type, indexing.operand);
    const hlo::Shape indices = hlo::make_shape(random_index_type(random), indexing.indices);
    build::GraphBuilder b("whole");
    const hlo::InstructionId x = b.parameter(operand, "x"), i = b.parameter(indices, "i");
    const hlo::Module module = std::move(b).build(b.gather(x, i, indexing.roles, indexing.slice));
    const std::vector<hlo::Literal> arguments{testing::random_integers(operand, random, 0, type == f32 ? 99 : 1),
                                              random_indices(indices, random)};
    taken += testing::check_random(module, arguments, random, partition::partition_in_own_way) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

TEST(PartitionIndexed, ScattersAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Indexing indexing = random_indexing(random);
    const hlo::Shape operand = hlo::make_shape(f32, indexing.operand), updates = hlo::make_shape(f32, indexing.result);
    const hlo::Shape indices = hlo::make_shape(random_index_type(random), indexing.indices);
    const hlo::Opcode combiner =
        std::array{hlo::Opcode::add, hlo::Opcode::maximum, hlo::Opcode::multiply}[random() % 3];
    build::GraphBuilder b("whole");
    const hlo::InstructionId x = b.parameter(operand, "x"), i = b.parameter(indices, "i"),
                             y = b.parameter(updates, "y");
    const hlo::Module module = std::move(b).build(b.scatter(x, i, y, indexing.roles, b.combiner(combiner, f32)));
    const int most = combiner == hlo::Opcode::multiply ? 1 : 9;
    const std::vector<hlo::Literal> arguments{testing::random_integers(operand, random, -most, most),
                                              random_indices(indices, random),
                                              testing::random_integers(updates, random, -most, most)};
    taken += testing::check_random(module, arguments, random, partition::partition_in_own_way) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

/// A dynamic slice or an update of one, with starts that may be out of bounds.
template <class Write>
void check_dynamic(bool is_update, Write&& write) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const int rank = int(draw(random, 1, 3));
    std::vector<std::int64_t> sizes, slices;
    for (int d = 0; d < rank; ++d) {
      sizes.push_back(draw(random, 1, rank == 1 ? 24 : 9));
      slices.push_back(random() % 3 == 0 ? sizes.back() : random() % 2 == 0 ? 1 : draw(random, 1, int(sizes.back())));
    }
    const hlo::ElementType type = random_index_type(random);
    build::GraphBuilder b("whole");
    std::vector<hlo::Literal> arguments{testing::random_integers(hlo::make_shape(f32, sizes), random, -99, 99)};
    const hlo::InstructionId x = b.parameter(arguments[0].shape, "x");
    hlo::InstructionId update = -1;
    if (is_update) {
      arguments.push_back(testing::random_integers(hlo::make_shape(f32, slices), random, -99, 99));
      update = b.parameter(arguments[1].shape, "y");
    }
    std::vector<hlo::InstructionId> starts;
    for (int d = 0; d < rank; ++d) {
      arguments.push_back(random_indices(hlo::make_shape(type, {}), random));
      starts.push_back(b.parameter(arguments.back().shape, "i" + std::to_string(d)));
    }
    const hlo::Module module = std::move(b).build(write(b, x, update, starts, slices));
    taken += testing::check_random(module, arguments, random, partition::partition_in_own_way) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

TEST(PartitionIndexed, DynamicSlicesAreThoseOfTheWhole) {
  check_dynamic(false, [](build::GraphBuilder& b, hlo::InstructionId x, hlo::InstructionId, const auto& starts,
                          const auto& sizes) { return b.dynamic_slice(x, starts, sizes); });
}

TEST(PartitionIndexed, DynamicUpdatesAreThoseOfTheWhole) {
  check_dynamic(true, [](build::GraphBuilder& b, hlo::InstructionId x, hlo::InstructionId y, const auto& starts,
                         const auto&) { return b.dynamic_update_slice(x, y, starts); });
}

TEST(PartitionIndexed, RowsOfATableThatIsCutByRowsAreLookedUpWhereTheyAre) {
  const mesh::Mesh mesh({{"x", 8}});
  build::GraphBuilder b("whole");
  const hlo::InstructionId table = b.parameter(hlo::make_shape(f32, {100000, 16}), "table");
  const hlo::InstructionId words = b.parameter(hlo::make_shape(s32, {32}), "words");
  hlo::GatherDimensions roles;
  roles.offset = {1};
  roles.collapsed = {0};
  roles.index_map = {0};
  roles.index_vector = 1;
  const hlo::Module module = std::move(b).build(b.gather(table, words, roles, {1, 16}));
  const mesh::AxisSharding rows = mesh::parse_axes(mesh, {"x", "-"}, 2);
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {rows, mesh::replicated(1)},
                                                            {mesh::replicated(2)}, partition::partition_in_own_way);
  ASSERT_TRUE(op.is_taken);
  // Only the rows that were looked up move: one all-reduce of [32, 16].
  EXPECT_EQ(testing::moves_of(op.module), "all-reduce");
  EXPECT_EQ(testing::ring_bytes(op.module), 2.0 * 7 / 8 * 32 * 16 * 4);
}

/// A table of 100000 rows of 16 and a list of 512 words, both split by rows over eight partitions.
struct Embedding {
  mesh::Mesh mesh{{{"x", 8}}};
  build::GraphBuilder b{"whole"};
  hlo::InstructionId table = b.parameter(hlo::make_shape(f32, {100000, 16}), "table");
  hlo::InstructionId words = b.parameter(hlo::make_shape(s32, {512}), "words");
  hlo::GatherDimensions roles;
  Embedding() {
    roles.offset = {1};
    roles.collapsed = {0};
    roles.index_map = {0};
    roles.index_vector = 1;
  }
  /// The program of one partition, with every array split along its first dimension.
  hlo::Module cut_by_rows(hlo::InstructionId root) {
    const hlo::Module module = std::move(b).build(root);
    propagate::ModuleShardings shardings;
    shardings.values.resize(module.computations.size());
    shardings.reasons.resize(module.computations.size());
    for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
      mesh::AxisSharding sharding = mesh::replicated(instruction.shape.rank());
      if (!sharding.dimensions.empty()) sharding.dimensions[0] = mesh.all();
      shardings.values[std::size_t(module.entry)].push_back({sharding});
    }
    return partition(module, mesh, shardings);
  }
};

TEST(PartitionIndexed, WordsComeToTheRowsAndWhatWasFoundGoesBack) {
  Embedding e;
  const hlo::Module local = e.cut_by_rows(e.b.gather(e.table, e.words, e.roles, {1, 16}));
  EXPECT_EQ(testing::moves_of(local), "all-gather reduce-scatter");
  EXPECT_EQ(testing::ring_bytes(local), 7.0 / 8 * (512 * 4 + 512 * 16 * 4));
}

TEST(PartitionIndexed, TheGradientOfATableTakesUpdatesToTheirRows) {
  Embedding e;
  const hlo::InstructionId updates = e.b.parameter(hlo::make_shape(f32, {512, 16}), "updates");
  const hlo::Module local =
      e.cut_by_rows(e.b.scatter(e.table, e.words, updates, e.roles, e.b.combiner(hlo::Opcode::add, f32)));
  EXPECT_EQ(testing::moves_of(local), "all-gather all-gather");
  EXPECT_EQ(testing::ring_bytes(local), 7.0 / 8 * (512 * 4 + 512 * 16 * 4));
}

/// Counts of 2400 words in an array with the initial value `fill` in all elements.
hlo::Literal counts_from(double fill, hlo::ElementType type, bool is_partitioned) {
  const mesh::Mesh mesh({{"x", 8}});
  testing::ShardedProgram p(mesh);
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId words = p.annotate(b.parameter(hlo::make_shape(s32, {2400}), "words"), {"x"});
  const hlo::InstructionId array = b.broadcast(b.constant(type, fill), std::vector<std::int64_t>{6});
  const hlo::InstructionId ones = p.annotate(b.broadcast(b.constant(type, 1), std::vector<std::int64_t>{2400}), {"x"});
  hlo::GatherDimensions roles;
  roles.collapsed = {0};
  roles.index_map = {0};
  roles.index_vector = 1;
  const hlo::InstructionId counts = b.scatter(array, words, ones, roles, b.combiner(hlo::Opcode::add, type));
  const hlo::Module local = std::move(p).partitioned(counts);
  hlo::Literal all = hlo::make_zeros(hlo::make_shape(s32, {2400}));
  for (std::size_t i = 0; i < all.values.size(); ++i) all.values[i] = double(i * i % 7);  // 6 is beyond the array
  if (!is_partitioned) return eval::evaluate(p.whole, std::vector{all});
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << hlo::to_string(local);
  std::vector<std::vector<hlo::Literal>> shards;
  for (int part = 0; part < 8; ++part) {
    hlo::Literal some = hlo::make_zeros(hlo::make_shape(s32, {300}));
    std::copy_n(all.values.begin() + 300 * part, 300, some.values.begin());
    shards.push_back({some});
  }
  return eval::evaluate_partitions(local, shards).front();
}

TEST(PartitionIndexed, WhatAnArrayIsFilledWithCountsOnce) {
  for (const hlo::ElementType type : {f32, s32, hlo::ElementType::s64, hlo::ElementType::u64}) {
    for (const double fill : {0.0, 3.0}) {
      SCOPED_TRACE(fmt::format("{} of {}", hlo::to_string(type), fill));
      EXPECT_TRUE(hlo::same_values(counts_from(fill, type, true), counts_from(fill, type, false)));
    }
  }
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
