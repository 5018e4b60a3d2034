// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/tile_split.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/spmd/mesh/axis_sharding.h"

namespace podsim::hlo::spmd::mesh {
namespace {

hlo::Shape array(std::vector<std::int64_t> sizes) { return hlo::make_shape(hlo::ElementType::f32, std::move(sizes)); }

std::vector<std::int64_t> shard(const Mesh& mesh, const hlo::Shape& whole, const TileSplit& split) {
  AxisSharding sharding = replicated(whole.rank());
  const SubAxes all = mesh.all();
  for (std::size_t i = 0; i < all.size(); ++i) sharding.dimensions[std::size_t(split.dimensions[i])].push_back(all[i]);
  return local_shape(mesh, whole, sharding).dimensions;
}

using Sizes = std::vector<std::int64_t>;

TEST(TileSplit, ShardsAreTilesInARowOrPartsOfOne) {
  const Mesh mesh = Mesh::parse("x=8192");
  const hlo::Shape weight = array({4096, 1024});  // 512 x 8 tiles
  const std::optional<TileSplit> halves = tile_split(mesh, weight, mesh.all());
  ASSERT_TRUE(halves);
  EXPECT_EQ(shard(mesh, weight, *halves), (Sizes{4, 128}));
  // Nine sub-axes number the rows of tiles, three their columns, one the halves; the rows have the first ten.
  EXPECT_EQ(halves->dimensions, (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(halves->in_memory, (SubAxes{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 9}));

  const hlo::Shape large = array({8192, 4096});  // 1024 x 32 tiles
  const std::optional<TileSplit> tiles = tile_split(mesh, large, mesh.all());
  ASSERT_TRUE(tiles);
  EXPECT_EQ(shard(mesh, large, *tiles), (Sizes{8, 512})) << "four tiles of a row of tiles";

  const hlo::Shape heads = array({1024, 16, 64});  // in memory 16 x 64 x 1024
  const std::optional<TileSplit> rows = tile_split(mesh, heads, mesh.all());
  ASSERT_TRUE(rows);
  EXPECT_EQ(shard(mesh, heads, *rows), (Sizes{128, 1, 1}));
}

TEST(TileSplit, NeedsWholeTilesAndDigitsThatDivide) {
  const Mesh mesh = Mesh::parse("x=32");
  EXPECT_FALSE(tile_split(mesh, array({30522, 1024}), mesh.all())) << "30522 rows are no whole tiles";
  EXPECT_FALSE(tile_split(mesh, array({3, 3, 512, 512}), mesh.all())) << "three rows of a kernel are not halved";
  EXPECT_FALSE(tile_split(mesh, array({8, 128}), mesh.all())) << "less than a row of lanes each";
  EXPECT_TRUE(tile_split(mesh, array({32, 128}), mesh.all())) << "a row of lanes each";
  const Mesh sixes = Mesh::parse("x=6");
  EXPECT_FALSE(tile_split(sixes, array({1024, 1024}), sixes.all()));
  EXPECT_TRUE(tile_split(sixes, array({48, 1024}), sixes.all()));
}

// Sub-axes of 2, 2, 3 and 2 over 4 rows of tiles, 3 columns and 2 of the 8 rows in a tile: the rows would get the last
// one, after those of the columns, but need it next to their own, which the columns' 3 would have to give.
TEST(TileSplit, KeepsTheOrderOfUnequalSubAxes) {
  const Mesh mesh = Mesh::parse("a=4,b=3,c=2");
  const std::optional<TileSplit> split = tile_split(mesh, array({32, 384}), mesh.all());
  ASSERT_TRUE(split);
  EXPECT_EQ(split->dimensions, (std::vector<int>{0, 0, 1, 0}));
  EXPECT_EQ(split->in_memory, mesh.all());
}

}  // namespace
}  // namespace podsim::hlo::spmd::mesh
