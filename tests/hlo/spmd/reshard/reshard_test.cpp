// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/reshard.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <numeric>

#include "hlo/eval/evaluator.h"
#include "hlo/spmd/mesh/tile_split.h"
#include "hlo/spmd/partition/partitioner.h"
#include "tests/hlo/spmd/arbitrary_shardings.h"
#include "tests/hlo/spmd/ring_bytes.h"

namespace podsim::hlo::spmd::reshard {
namespace {

using testing::arbitrary_mesh;
using testing::arbitrary_sharding;
using testing::moves_of;
using testing::ring_bytes;

struct Case {
  mesh::Mesh mesh;
  hlo::Shape shape;
  mesh::AxisSharding from;
  mesh::SubAxes unreduced;
  mesh::AxisSharding to;
  hlo::Opcode combiner = hlo::Opcode::add;
  bool tile_by_tile = false;
};

hlo::Module resharding(const Case& c) {
  build::GraphBuilder builder("reshard");
  LocalProgram program(builder, c.mesh, c.tile_by_tile);
  const hlo::InstructionId x = builder.parameter(mesh::local_shape(c.mesh, c.shape, c.from), "x");
  const LocalValue value = reshard(program, {x, c.shape, c.from, c.unreduced, c.combiner}, c.to);
  // A separate root even if nothing changes.
  hlo::Module module = std::move(builder).build(builder.copy(value.id));
  module.partitions = c.mesh.partitions();
  number_channels(module);
  build::verify(module);
  return module;
}

/// Shards of one addend for each position along the unreduced sub-axes, with garbage beyond the array, and their
/// combination.
std::pair<std::vector<std::vector<hlo::Literal>>, hlo::Literal> addends(const Case& c) {
  std::vector<std::vector<hlo::Literal>> arguments(std::size_t(c.mesh.partitions()));
  hlo::Literal total = hlo::make_zeros(c.shape);
  for (std::int64_t k = 0; k < c.mesh.size(c.unreduced); ++k) {
    hlo::Literal addend = hlo::make_zeros(c.shape);
    for (std::size_t i = 0; i < addend.values.size(); ++i) {
      addend.values[i] = double((std::int64_t(i) * 7 + k * 13) % 64);
      const double sum = c.combiner == hlo::Opcode::add ? total.values[i] + addend.values[i]
                                                        : std::max(total.values[i], addend.values[i]);
      total.values[i] = k == 0 ? addend.values[i] : sum;
    }
    const std::vector<hlo::Literal> shards =
        partition::split_into_shards(c.mesh, addend, {c.from}, std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t p = 0; p < c.mesh.partitions(); ++p) {
      if (c.mesh.position(p, c.unreduced) == k) arguments[std::size_t(p)] = {shards[std::size_t(p)]};
    }
  }
  return {arguments, total};
}

/// Checks that each partition has its shard of the total.
void check(const Case& c, const hlo::Module& module) {
  const auto [arguments, total] = addends(c);
  const std::vector<hlo::Literal> results = eval::evaluate_partitions(module, arguments);
  const std::vector<hlo::Literal> expected = partition::split_into_shards(c.mesh, total, {c.to}, -1);
  for (std::int64_t p = 0; p < c.mesh.partitions(); ++p) {
    const hlo::Literal& shard = expected[std::size_t(p)];
    RC_ASSERT(results[std::size_t(p)].shape.compatible(shard.shape));
    for (std::size_t i = 0; i < shard.values.size(); ++i) {
      if (shard.values[i] >= 0) RC_ASSERT(results[std::size_t(p)].values[i] == shard.values[i]);
    }
  }
}

Case arbitrary_case(bool even) {
  Case c;
  c.mesh = testing::arbitrary_mesh(16);
  const int rank = *rc::gen::inRange(0, 4);
  mesh::SubAxes rest;
  c.from = testing::arbitrary_sharding(c.mesh.all(), rank, &rest);
  for (const mesh::SubAxis s : rest) {
    if (*rc::gen::arbitrary<bool>()) c.unreduced.push_back(s);
  }
  c.to = testing::arbitrary_sharding(c.mesh.all(), rank);
  c.combiner = *rc::gen::element(hlo::Opcode::add, hlo::Opcode::maximum);
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < rank; ++d) {
    if (even) {
      sizes.push_back(c.mesh.partitions() * *rc::gen::inRange<std::int64_t>(1, 3));
    } else {
      sizes.push_back(*rc::gen::inRange<std::int64_t>(1, 13));
    }
  }
  if (even && rank == 3) sizes[2] = std::lcm(mesh::shards(c.mesh, c.from, 2), mesh::shards(c.mesh, c.to, 2));
  c.shape = hlo::make_shape(hlo::ElementType::f32, sizes);
  return c;
}

/// Bytes to combine and gather everything, then slice: an upper bound for every plan.
double naive_bytes(const Case& c) {
  const mesh::AxisSharding whole = mesh::replicated(c.shape.rank());
  double bytes = 0, elements = double(c.shape.element_count());
  const auto n = double(c.mesh.size(c.unreduced)), split = double(c.mesh.size(c.from.used()));
  bytes += 2 * (n - 1) / n * elements / split * 4;
  return bytes + (split - 1) / split * elements * 4;
}

RC_GTEST_PROP(Reshard, GivesEveryPartitionItsShardOfTheTotal, ()) {
  const Case c = arbitrary_case(*rc::gen::arbitrary<bool>());
  RC_LOG() << mesh::to_string(c.mesh) << " " << hlo::to_string(c.shape) << " " << mesh::to_string(c.mesh, c.from)
           << " unreduced " << c.mesh.to_string(c.unreduced) << " to " << mesh::to_string(c.mesh, c.to) << "\n";
  const hlo::Module module = resharding(c);
  RC_LOG() << hlo::to_string(module);
  check(c, module);
}

/// A sum or a whole array of tiles, and its split tile by tile.
Case case_of_tiles() {
  Case c;
  c.tile_by_tile = true;
  c.mesh = testing::arbitrary_mesh(16);
  const std::vector<std::int64_t> sizes[] = {{128, 384}, {16, 16, 128}, {256, 3, 8}, {64, 6, 64}, {4, 2, 8, 256}};
  c.shape =
      hlo::make_shape(hlo::ElementType::f32, *rc::gen::elementOf(std::vector(std::begin(sizes), std::end(sizes))));
  const std::optional<mesh::TileSplit> split = mesh::tile_split(c.mesh, c.shape, c.mesh.all());
  RC_PRE(split.has_value());
  mesh::AxisSharding shards = mesh::replicated(c.shape.rank());
  const mesh::SubAxes all = c.mesh.all();
  for (std::size_t i = 0; i < all.size(); ++i) shards.dimensions[std::size_t(split->dimensions[i])].push_back(all[i]);
  const bool gathers = *rc::gen::arbitrary<bool>();
  c.from = gathers ? shards : mesh::replicated(c.shape.rank());
  c.to = gathers ? mesh::replicated(c.shape.rank()) : shards;
  if (!gathers) c.unreduced = all;
  return c;
}

RC_GTEST_PROP(Reshard, MovesTilesAsTheyLie, ()) {
  const Case c = case_of_tiles();
  const hlo::Module module = resharding(c);
  RC_LOG() << mesh::to_string(c.mesh) << " " << hlo::to_string(c.shape) << " " << mesh::to_string(c.mesh, c.from)
           << " to " << mesh::to_string(c.mesh, c.to) << "\n"
           << hlo::to_string(module);
  check(c, module);
}

RC_GTEST_PROP(Reshard, CountsTheBytesOfTheCollectivesItWrites, ()) {
  const Case c = arbitrary_case(true);
  const hlo::Module module = resharding(c);
  RC_LOG() << mesh::to_string(c.mesh) << " " << mesh::to_string(c.mesh, c.from) << " unreduced "
           << c.mesh.to_string(c.unreduced) << " to " << mesh::to_string(c.mesh, c.to) << "\n"
           << hlo::to_string(module);
  const double bytes = reshard_bytes(c.mesh, c.shape, c.from, c.unreduced, c.to);
  RC_ASSERT(std::abs(bytes - testing::ring_bytes(module)) <= 1e-9 * bytes);
  RC_ASSERT(bytes <= naive_bytes(c) * (1 + 1e-9));
}

struct Known {
  const char* name;
  std::vector<mesh::SubAxes> from;
  mesh::SubAxes unreduced;
  std::vector<mesh::SubAxes> to;
  const char* moves;
  double elements;  ///< sent by each partition
};

TEST(Reshard, IsTheCollectiveThatOneWouldWriteByHand) {
  const mesh::Mesh mesh({{"x", 2}, {"y", 2}, {"z", 4}});  // z is the sub-axes 2 and 3
  const mesh::SubAxes none, x{0}, y{1}, z{2, 3};
  const double all = 32 * 16;
  const std::vector<Known> cases{
      {"nothing", {x, y}, none, {x, y}, "", 0},
      {"whole to cut", {none, none}, none, {x, z}, "dynamic-slice", 0},
      {"cut further", {x, none}, none, {{0, 2, 3}, none}, "dynamic-slice", 0},
      {"cut to whole", {z, none}, none, {none, none}, "all-gather", all * 3 / 4},
      {"cut less", {{0, 2, 3}, none}, none, {x, none}, "all-gather", all / 2 * 3 / 4},
      {"dimension to dimension", {z, none}, none, {none, z}, "all-to-all", all / 4 * 3 / 4},
      {"a part of it", {{0, 2, 3}, none}, none, {x, z}, "all-to-all", all / 8 * 3 / 4},
      {"swap", {x, y}, none, {y, x}, "collective-permute", all / 4},
      {"order", {{0, 1}, none}, none, {{1, 0}, none}, "collective-permute", all / 4},
      {"another axis", {x, none}, none, {y, none}, "collective-permute", all / 2},
      {"sum", {none, none}, x, {none, none}, "all-reduce", all},
      {"sum of several", {none, none}, {0, 2, 3}, {none, none}, "all-reduce", 2 * all * 7 / 8},
      {"sum of shards", {y, none}, z, {y, none}, "all-reduce", 2 * all / 2 * 3 / 4},
      {"sum to cut", {none, none}, z, {none, z}, "reduce-scatter", all * 3 / 4},
      {"sum to cut further", {x, none}, y, {{0, 1}, none}, "reduce-scatter", all / 2 / 2},
      {"sum cut by others", {none, none}, x, {y, none}, "dynamic-slice all-reduce", all / 2},
      {"sum partly cut", {none, none}, {0, 1}, {x, none}, "reduce-scatter all-reduce", all / 2 + all / 2},
      {"sum and gather", {x, none}, y, {none, y}, "reduce-scatter all-gather", all / 4 + all / 4},
      {"slice before gather", {x, none}, none, {none, z}, "dynamic-slice all-gather", all / 8},
  };
  for (const Known& known : cases) {
    const Case c{mesh,
                 hlo::make_shape(hlo::ElementType::f32, {32, 16}),
                 {known.from, false},
                 known.unreduced,
                 {known.to, false},
                 hlo::Opcode::add};
    const hlo::Module module = resharding(c);
    EXPECT_EQ(testing::moves_of(module), known.moves) << known.name;
    EXPECT_DOUBLE_EQ(testing::ring_bytes(module), 4 * known.elements) << known.name;
  }
}

TEST(Reshard, RotatesTwoCutsThroughThreeDimensionsWithTwoAllToAlls) {
  const mesh::Mesh mesh({{"x", 2}, {"z", 4}});
  const mesh::SubAxes none, x{0}, z{1, 2};
  const Case c{mesh,
               hlo::make_shape(hlo::ElementType::f32, {8, 8, 8}),
               {{x, z, none}, false},
               {},
               {{none, x, z}, false},
               hlo::Opcode::add};
  const hlo::Module module = resharding(c);
  EXPECT_EQ(testing::moves_of(module), "all-to-all all-to-all");
  EXPECT_DOUBLE_EQ(testing::ring_bytes(module), 4 * 512.0 / 8 * (3.0 / 4 + 1.0 / 2));
}

TEST(Reshard, ManualValuesStayWhatTheyAre) {
  const mesh::Mesh mesh({{"x", 2}});
  build::GraphBuilder builder("reshard");
  LocalProgram program(builder, mesh);
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {4});
  const hlo::InstructionId x = builder.parameter(shape, "x");
  EXPECT_EQ(reshard(program, {x, shape, mesh::manual(1), {}, hlo::Opcode::add}, mesh::manual(1)).id, x);
  EXPECT_EQ(reshard(program, {x, shape, mesh::replicated(1), {}, hlo::Opcode::add}, mesh::manual(1)).id, x);
  const mesh::AxisSharding split{{{0}}, false};
  EXPECT_THROW(reshard(program, {x, shape, mesh::manual(1), {}, hlo::Opcode::add}, split), std::logic_error);
  EXPECT_THROW(reshard(program, {x, shape, split, {}, hlo::Opcode::add}, mesh::manual(1)), std::logic_error);
}

}  // namespace
}  // namespace podsim::hlo::spmd::reshard
