// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/local_program.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "hlo/eval/evaluator.h"

namespace podsim::hlo::spmd::reshard {
namespace {

using Writer = std::function<hlo::InstructionId(LocalProgram&, hlo::InstructionId)>;

/// The result in each partition of a program on one array, f32[sizes], whose element i is 100 p + i on partition p.
std::vector<std::vector<double>> run(const mesh::Mesh& mesh, std::vector<std::int64_t> sizes, const Writer& write) {
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, std::move(sizes));
  build::GraphBuilder builder("local");
  LocalProgram program(builder, mesh);
  const hlo::InstructionId result = write(program, builder.parameter(shape, "x"));
  hlo::Module module = std::move(builder).build(result);
  module.partitions = mesh.partitions();
  number_channels(module);
  build::verify(module);
  std::vector<std::vector<hlo::Literal>> arguments;
  for (std::int64_t partition = 0; partition < mesh.partitions(); ++partition) {
    hlo::Literal literal = hlo::make_zeros(shape);
    std::iota(literal.values.begin(), literal.values.end(), 100.0 * double(partition));
    arguments.push_back({std::move(literal)});
  }
  std::vector<std::vector<double>> results;
  for (const hlo::Literal& literal : eval::evaluate_partitions(module, arguments)) results.push_back(literal.values);
  return results;
}

const mesh::Mesh mesh_2x6({{"x", 2}, {"y", 6}});  // sub-axes of 2 (x), 2 and 3 (y)

TEST(LocalProgram, KnowsItsPositionAlongAnySubAxesInAnyOrder) {
  mesh::SubAxes all = mesh_2x6.all();
  do {
    for (std::size_t count = 0; count <= all.size(); ++count) {
      const mesh::SubAxes some(all.begin(), all.begin() + std::ptrdiff_t(count));
      const auto positions =
          run(mesh_2x6, {}, [&](LocalProgram& program, hlo::InstructionId) { return program.position(some); });
      for (std::int64_t p = 0; p < 12; ++p) EXPECT_EQ(positions[p][0], double(mesh_2x6.position(p, some)));
    }
  } while (std::ranges::next_permutation(all).found);
}

TEST(LocalProgram, ComputesWhatIsKnownAndSharesThePartitionsNumber) {
  build::GraphBuilder builder("local");
  LocalProgram program(builder, mesh_2x6);
  EXPECT_EQ(program.plus(program.s32(3), program.times(program.s32(4), program.s32(5))), program.s32(23));
  EXPECT_EQ(program.minus(program.s32(3), program.s32(5)), program.s32(-2));
  const hlo::InstructionId y = program.position({1, 2});
  EXPECT_EQ(program.plus(y, program.s32(0)), y);
  EXPECT_EQ(program.times(y, program.s32(1)), y);
  EXPECT_EQ(program.times(y, program.s32(0)), program.s32(0));
  const int before = builder.size();
  EXPECT_EQ(program.position({1, 2}), y);
  EXPECT_EQ(builder.size(), before);
}

TEST(LocalProgram, MasksWhatLiesBeyondTheArray) {
  // Seven elements over x and y's first part: shards of 2, the last with one element.
  LocalValue value{-1, hlo::make_shape(hlo::ElementType::f32, {7, 3}), {{{0, 1}, {}}, false}, {}, hlo::Opcode::add};
  const auto results = run(mesh_2x6, {2, 3}, [&](LocalProgram& program, hlo::InstructionId x) {
    value.id = x;
    return program.masked(value, program.builder().constant(hlo::ElementType::f32, -1)).id;
  });
  for (std::int64_t p = 0; p < 12; ++p) {
    const auto [first, limit] = mesh::held_range(mesh_2x6, value.shape, value.sharding, 0, p);
    for (std::int64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(results[p][i], first + i / 3 < limit ? double(100 * p + i) : -1.0);
    }
  }
}

/// Partitions of p's group along the sub-axes, by position.
std::vector<std::int64_t> members(std::int64_t p, const mesh::SubAxes& sub_axes) {
  std::vector<std::int64_t> result(std::size_t(mesh_2x6.size(sub_axes)));
  const auto rest = [&](std::int64_t q) {
    mesh::SubAxes others;
    for (const mesh::SubAxis s : mesh_2x6.all()) {
      if (std::ranges::find(sub_axes, s) == sub_axes.end()) others.push_back(s);
    }
    return mesh_2x6.position(q, others);
  };
  for (std::int64_t q = 0; q < mesh_2x6.partitions(); ++q) {
    if (rest(q) == rest(p)) result[std::size_t(mesh_2x6.position(q, sub_axes))] = q;
  }
  return result;
}

TEST(LocalProgram, CollectivesJoinThePartitionsAlongSubAxesInTheOrderOfTheirPosition) {
  for (const mesh::SubAxes& along : {mesh::SubAxes{0}, mesh::SubAxes{1}, mesh::SubAxes{2}, mesh::SubAxes{2, 0},
                                     mesh::SubAxes{1, 2}, mesh::SubAxes{2, 1, 0}}) {
    const std::int64_t n = mesh_2x6.size(along);
    const auto sums = run(mesh_2x6, {1}, [&](LocalProgram& program, hlo::InstructionId x) {
      return program.all_reduce(x, along, hlo::Opcode::add);
    });
    const auto gathered = run(
        mesh_2x6, {2, 2}, [&](LocalProgram& program, hlo::InstructionId x) { return program.all_gather(x, along, 1); });
    const auto scattered = run(mesh_2x6, {n, 2}, [&](LocalProgram& program, hlo::InstructionId x) {
      return program.reduce_scatter(x, along, 0, hlo::Opcode::maximum);
    });
    for (std::int64_t p = 0; p < 12; ++p) {
      const std::vector<std::int64_t> group = members(p, along);
      EXPECT_EQ(sums[p][0], 100.0 * double(std::accumulate(group.begin(), group.end(), std::int64_t(0))));
      for (std::int64_t i = 0; i < 4 * n; ++i) {
        const std::int64_t row = i / (2 * n), column = i % (2 * n);
        EXPECT_EQ(gathered[p][i], double(100 * group[column / 2] + 2 * row + column % 2));
      }
      const double largest = 100.0 * double(*std::ranges::max_element(group));
      const double first = largest + 2 * double(mesh_2x6.position(p, along));
      EXPECT_EQ(scattered[p], (std::vector<double>{first, first + 1}));
    }
  }
}

TEST(LocalProgram, AllToAllSplitsOneDimensionAndJoinsAnother) {
  const mesh::SubAxes along{2, 0};  // six partitions
  for (const auto& [split, join] : std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {0, 2}, {2, 1}, {2, 2}}) {
    std::vector<std::int64_t> sizes{2, 3, 2};
    sizes[std::size_t(split)] = 12;
    const auto results = run(mesh_2x6, sizes, [&](LocalProgram& program, hlo::InstructionId x) {
      return program.all_to_all(x, along, split, join);
    });
    std::vector<std::int64_t> local = sizes;
    local[std::size_t(split)] /= 6;
    const std::int64_t piece = local[std::size_t(join)];
    local[std::size_t(join)] *= 6;
    for (std::int64_t p = 0; p < 12; ++p) {
      const std::vector<std::int64_t> group = members(p, along);
      for (std::int64_t i = 0; i < std::int64_t(results[p].size()); ++i) {
        std::vector<std::int64_t> at{i / (local[1] * local[2]), i / local[2] % local[1], i % local[2]};
        const std::int64_t sender = at[std::size_t(join)] / piece;
        at[std::size_t(join)] %= piece;
        at[std::size_t(split)] += mesh_2x6.position(p, along) * 2;
        const std::int64_t index = (at[0] * sizes[1] + at[1]) * sizes[2] + at[2];
        EXPECT_EQ(results[p][i], double(100 * group[std::size_t(sender)] + index)) << split << " to " << join;
      }
    }
  }
}

TEST(LocalProgram, ShiftsAlongSubAxes) {
  const mesh::SubAxes along{2, 0};
  for (const std::int64_t distance : {-7, -2, 0, 1, 5, 6}) {
    for (const bool wrap : {false, true}) {
      const auto results = run(mesh_2x6, {1}, [&](LocalProgram& program, hlo::InstructionId x) {
        return program.shift(x, along, distance, wrap);
      });
      for (std::int64_t p = 0; p < 12; ++p) {
        std::int64_t source = mesh_2x6.position(p, along) - distance;
        if (wrap) source = ((source % 6) + 6) % 6;
        const bool has = source >= 0 && source < 6;
        EXPECT_EQ(results[p][0], has ? 100.0 * double(members(p, along)[std::size_t(source)]) : 0.0);
      }
    }
  }
}

TEST(LocalProgram, PermutesWhatIsCutOneWayToBeCutAnother) {
  const std::vector<std::pair<mesh::SubAxes, mesh::SubAxes>> changes{
      {{0, 1}, {1, 0}}, {{0}, {1}}, {{0, 2}, {2, 1}}, {{0, 1, 2}, {2, 1, 0}}, {{1, 2}, {0, 2}}};
  for (const auto& [from, to] : changes) {
    const auto results =
        run(mesh_2x6, {}, [&](LocalProgram& program, hlo::InstructionId x) { return program.permute(x, from, to); });
    for (std::int64_t p = 0; p < 12; ++p) {
      const auto source = std::int64_t(results[p][0]) / 100;
      EXPECT_EQ(mesh_2x6.position(source, from), mesh_2x6.position(p, to));
    }
  }
}

TEST(LocalProgram, ChannelsAreDistinctOnlyInTheFinishedProgram) {
  build::GraphBuilder builder("local");
  LocalProgram program(builder, mesh_2x6);
  const hlo::InstructionId x = builder.parameter(hlo::make_shape(hlo::ElementType::f32, {4}), "x");
  const hlo::InstructionId once = program.all_reduce(x, {0}, hlo::Opcode::add);
  EXPECT_EQ(program.all_reduce(x, {0}, hlo::Opcode::add), once);
  const hlo::InstructionId other = program.all_reduce(x, {1}, hlo::Opcode::add);
  hlo::Module module = std::move(builder).build(builder.add(once, other));
  number_channels(module);
  const hlo::Computation& entry = module.entry_computation();
  EXPECT_EQ(entry[once].participants->channel_id, 1);
  EXPECT_EQ(entry[other].participants->channel_id, 2);
}

}  // namespace
}  // namespace podsim::hlo::spmd::reshard
