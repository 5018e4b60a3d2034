// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sw/graph/graph_builder.h"
#include "tests/sw/spmd/one_op.h"
#include "tests/sw/spmd/ring_bytes.h"

namespace podsim::sw {
namespace {

using testing::check_random;
using testing::random_integers;

constexpr ElementType f32 = ElementType::f32;
constexpr ElementType s32 = ElementType::s32;

std::int64_t draw(std::mt19937& random, int low, int high) { return low + int(random() % unsigned(high - low + 1)); }

ElementType random_index_type(std::mt19937& random) {
  static constexpr std::array types{s32, s32, ElementType::u32, ElementType::s8, ElementType::u8};
  return types[random() % types.size()];
}

/// Some beyond both ends of what dimensions have.
Literal random_indices(const Shape& shape, std::mt19937& random) {
  return random_integers(shape, random, lowest_value(shape.element_type) < 0 ? -3 : 0, 14);
}

/// An operand, roles of an index into some of its dimensions, and the sizes of slices.
struct Indexing {
  std::vector<std::int64_t> operand, indices, slice;
  GatherDimensions roles;
  std::vector<std::int64_t> result;  ///< of a gather; the updates of a scatter
};

/// Index vectors of one or two numbers at the end of the indices, for any dimensions; slices of one element mostly, of
/// which most are dropped.
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
  // Slices before, behind or between what the indices give.
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

TEST(partition_indexed, gathers_are_those_of_the_whole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Indexing indexing = random_indexing(random);
    const ElementType type = random() % 5 == 0 ? ElementType::pred : f32;
    const Shape operand = make_shape(type, indexing.operand);
    const Shape indices = make_shape(random_index_type(random), indexing.indices);
    GraphBuilder b("whole");
    const InstructionId x = b.parameter(operand, "x"), i = b.parameter(indices, "i");
    const Module module = std::move(b).build(b.gather(x, i, indexing.roles, indexing.slice));
    const std::vector<Literal> arguments{random_integers(operand, random, 0, type == f32 ? 99 : 1),
                                         random_indices(indices, random)};
    taken += check_random(module, arguments, random, partition_indexed) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

TEST(partition_indexed, scatters_are_those_of_the_whole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Indexing indexing = random_indexing(random);
    const Shape operand = make_shape(f32, indexing.operand), updates = make_shape(f32, indexing.result);
    const Shape indices = make_shape(random_index_type(random), indexing.indices);
    const Opcode combiner = std::array{Opcode::add, Opcode::maximum, Opcode::multiply}[random() % 3];
    GraphBuilder b("whole");
    const InstructionId x = b.parameter(operand, "x"), i = b.parameter(indices, "i"), y = b.parameter(updates, "y");
    const Module module = std::move(b).build(b.scatter(x, i, y, indexing.roles, b.combiner(combiner, f32)));
    const int most = combiner == Opcode::multiply ? 1 : 9;
    const std::vector<Literal> arguments{random_integers(operand, random, -most, most), random_indices(indices, random),
                                         random_integers(updates, random, -most, most)};
    taken += check_random(module, arguments, random, partition_indexed) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

/// A dynamic slice or an update of one at starts that may lie outside.
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
    const ElementType type = random_index_type(random);
    GraphBuilder b("whole");
    std::vector<Literal> arguments{random_integers(make_shape(f32, sizes), random, -99, 99)};
    const InstructionId x = b.parameter(arguments[0].shape, "x");
    InstructionId update = -1;
    if (is_update) {
      arguments.push_back(random_integers(make_shape(f32, slices), random, -99, 99));
      update = b.parameter(arguments[1].shape, "y");
    }
    std::vector<InstructionId> starts;
    for (int d = 0; d < rank; ++d) {
      arguments.push_back(random_indices(make_shape(type, {}), random));
      starts.push_back(b.parameter(arguments.back().shape, "i" + std::to_string(d)));
    }
    const Module module = std::move(b).build(write(b, x, update, starts, slices));
    taken += check_random(module, arguments, random, partition_indexed) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(taken, 300);
}

TEST(partition_indexed, dynamic_slices_are_those_of_the_whole) {
  check_dynamic(false, [](GraphBuilder& b, InstructionId x, InstructionId, const auto& starts, const auto& sizes) {
    return b.dynamic_slice(x, starts, sizes);
  });
}

TEST(partition_indexed, dynamic_updates_are_those_of_the_whole) {
  check_dynamic(true, [](GraphBuilder& b, InstructionId x, InstructionId y, const auto& starts, const auto&) {
    return b.dynamic_update_slice(x, y, starts);
  });
}

TEST(partition_indexed, rows_of_a_table_that_is_cut_by_rows_are_looked_up_where_they_are) {
  const Mesh mesh({{"x", 8}});
  GraphBuilder b("whole");
  const InstructionId table = b.parameter(make_shape(f32, {100000, 16}), "table");
  const InstructionId words = b.parameter(make_shape(s32, {32}), "words");
  GatherDimensions roles;
  roles.offset = {1};
  roles.collapsed = {0};
  roles.index_map = {0};
  roles.index_vector = 1;
  const Module module = std::move(b).build(b.gather(table, words, roles, {1, 16}));
  const AxisSharding rows = parse_axes(mesh, {"x", "-"}, 2);
  const testing::PartitionedOp op =
      testing::partition_root(module, mesh, {rows, replicated(1)}, {replicated(2)}, partition_indexed);
  ASSERT_TRUE(op.is_taken);
  // Only the rows that were looked up move: one all-reduce of [32, 16].
  EXPECT_EQ(testing::moves_of(op.module), "all-reduce");
  EXPECT_EQ(testing::ring_bytes(op.module), 2.0 * 7 / 8 * 32 * 16 * 4);
}

/// A table of 100000 rows of 16 cut by rows over eight, 512 words cut likewise.
struct Embedding {
  Mesh mesh{{{"x", 8}}};
  GraphBuilder b{"whole"};
  InstructionId table = b.parameter(make_shape(f32, {100000, 16}), "table");
  InstructionId words = b.parameter(make_shape(s32, {512}), "words");
  GatherDimensions roles;
  Embedding() {
    roles.offset = {1};
    roles.collapsed = {0};
    roles.index_map = {0};
    roles.index_vector = 1;
  }
  /// The program of one partition where every array is cut by its first dimension.
  Module cut_by_rows(InstructionId root) {
    const Module module = std::move(b).build(root);
    ModuleShardings shardings;
    shardings.values.resize(module.computations.size());
    shardings.reasons.resize(module.computations.size());
    for (const Instruction& instruction : module.entry_computation().instructions) {
      AxisSharding sharding = replicated(instruction.shape.rank());
      if (!sharding.dimensions.empty()) sharding.dimensions[0] = mesh.all();
      shardings.values[std::size_t(module.entry)].push_back({sharding});
    }
    return partition(module, mesh, shardings);
  }
};

TEST(partition_indexed, words_come_to_the_rows_and_what_was_found_goes_back) {
  Embedding e;
  const Module local = e.cut_by_rows(e.b.gather(e.table, e.words, e.roles, {1, 16}));
  EXPECT_EQ(testing::moves_of(local), "all-gather reduce-scatter");
  EXPECT_EQ(testing::ring_bytes(local), 7.0 / 8 * (512 * 4 + 512 * 16 * 4));
}

TEST(partition_indexed, the_gradient_of_a_table_takes_updates_to_their_rows) {
  Embedding e;
  const InstructionId updates = e.b.parameter(make_shape(f32, {512, 16}), "updates");
  const Module local = e.cut_by_rows(e.b.scatter(e.table, e.words, updates, e.roles, e.b.combiner(Opcode::add, f32)));
  EXPECT_EQ(testing::moves_of(local), "all-gather all-gather");
  EXPECT_EQ(testing::ring_bytes(local), 7.0 / 8 * (512 * 4 + 512 * 16 * 4));
}

}  // namespace
}  // namespace podsim::sw
