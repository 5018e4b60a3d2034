// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/compiled_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_search.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families {
namespace {

/// Reads and writes `bytes` in `tiles` equal parts.
hw::TileOp copy_of(std::int64_t bytes, std::int64_t tiles) {
  hw::TileWork work;
  work.reads = work.writes = {{base::Bytes(bytes / tiles)}};
  return {"copy", {{tiles, work}}, base::Bytes(4 * bytes / tiles)};
}

TEST(CompiledTiles, APassOfLessThanTwoLeastTilesIsOneTile) {
  const std::int64_t least = the_tpu_v3().compiler.min_tile.value();
  EXPECT_EQ(compiled_parts({base::Bytes(least), base::Bytes(0), {}}, the_tpu_v3()), 1);
  EXPECT_GT(compiled_parts({base::Bytes(16 * least), base::Bytes(0), {}}, the_tpu_v3()), 1);
}

TEST(CompiledTiles, APassIsDividedAsTheSameOpOfAProgram) {
  hlo::build::GraphBuilder graph("relu");
  const hlo::InstructionId x = graph.parameter(hlo::make_shape(hlo::ElementType::f32, {4096, 2048}), "x");
  const hlo::Module relu = std::move(graph).build(graph.maximum(x, graph.full_like(x, 0)));
  const compiler::tiles::OpWork work = work_of_op(relu, the_tpu_v3());
  const base::Bytes bytes(4096 * 2048 * 4);
  EXPECT_EQ(work.read_bytes().total(), bytes);
  EXPECT_EQ(work.stored_bytes().total(), bytes);
  EXPECT_EQ(compiled_parts({bytes, bytes, work.epilogue}, the_tpu_v3()),
            compiler::tiles::choose_tiling(work, the_tpu_v3(), "relu").tiles());
}

TEST(CompiledTiles, ThePlanHasTheTilesOfTheCompilerOrTheNextMore) {
  const std::int64_t bytes = std::int64_t(1) << 24;
  const std::int64_t parts = compiled_parts({base::Bytes(bytes), base::Bytes(bytes), {}}, the_tpu_v3());
  ASSERT_GT(parts, 2);
  const hw::TileOp plans[] = {copy_of(bytes, 64 * parts), copy_of(bytes, parts), copy_of(bytes, parts / 2),
                              copy_of(bytes, 1)};
  EXPECT_EQ(compiled_plan(the_tpu_v3(), plans), 1U);
  const hw::TileOp others[] = {copy_of(bytes, 64 * parts), copy_of(bytes, parts / 2), copy_of(bytes, 1)};
  EXPECT_EQ(compiled_plan(the_tpu_v3(), others), 0U);
}

TEST(CompiledTiles, WhatDoesNotFitVmemIsNotChosenAndNothingLeftIsAnError) {
  TargetMachine machine = tpu_v3();
  machine.vmem = base::Bytes(1 << 16);
  const hw::TileOp large = copy_of(1 << 21, 8), small = copy_of(1 << 21, 1024);
  const hw::TileOp plans[] = {small, large};
  EXPECT_EQ(compiled_plan(machine, plans), 0U);
  EXPECT_THROW(compiled_plan(machine, {&large, 1}), base::InputError);
}

TEST(CompiledTiles, PartCountsFallFromTheNumberOfUnitsByPowersOfTwo) {
  EXPECT_TRUE(part_counts(0).empty());
  EXPECT_EQ(part_counts(1), std::vector<std::int64_t>{1});
  EXPECT_EQ(part_counts(10), (std::vector<std::int64_t>{10, 8, 4, 2, 1}));
  EXPECT_EQ(part_counts(8), (std::vector<std::int64_t>{8, 4, 2, 1}));
  const std::vector<std::int64_t> many = part_counts(1'000'000);
  EXPECT_EQ(many.back(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(many, std::greater<>()));
}

}  // namespace
}  // namespace podsim::sw::codegen::families
