// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/named_sharding.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hlo/text/reader.h"

namespace podsim::hlo::text {
namespace {

/// For each device, its tile along each dimension; by a walk over the devices and tiles that a sharding lists.
std::map<std::int64_t, std::vector<std::int64_t>> tiles_of(const std::string& text) {
  Scanner scanner(text);
  const hlo::Sharding sharding = read_sharding(scanner);
  EXPECT_EQ(sharding.kind, hlo::Sharding::Kind::tiled) << text;
  const std::vector<std::int64_t> devices = sharding.device_list();
  std::map<std::int64_t, std::vector<std::int64_t>> tiles;
  for (std::size_t place = 0; place < devices.size(); ++place) {
    std::vector<std::int64_t> tile(sharding.tiles.size());
    std::size_t rest = place;
    for (std::size_t d = tile.size(); d-- > 0; rest /= std::size_t(sharding.tiles[d])) {
      tile[d] = std::int64_t(rest) % sharding.tiles[d];
    }
    tile.resize(std::size_t(sharding.rank()));
    tiles[devices[place]] = tile;
  }
  return tiles;
}

using Tiles = std::map<std::int64_t, std::vector<std::int64_t>>;

// Device 4a + b of a mesh of 2 by 4 has the coordinates a and b.
TEST(NamedSharding, DividesADimensionAlongItsAxesFromMajorToMinor) {
  Tiles both, one, swapped;
  for (std::int64_t a = 0; a < 2; ++a) {
    for (std::int64_t b = 0; b < 4; ++b) {
      both[4 * a + b] = {a, b};
      one[4 * a + b] = {b, 0};
      swapped[4 * a + b] = {2 * b + a};
    }
  }
  EXPECT_EQ(tiles_of("{mesh['a'=2,'b'=4], [{'a'}, {'b'}]}"), both);
  EXPECT_EQ(tiles_of("{mesh['a'=2,'b'=4], [{'b'}, {}], replicated={'a'}}"), one);
  EXPECT_EQ(tiles_of("{mesh['a'=2,'b'=4], [{'b', 'a'}]}"), swapped);
}

// The part (2)2 of an axis of 8 is the second of its factors 2, 2, 2: the coordinate b is 4 b0 + 2 b1 + b2.
TEST(NamedSharding, TakesAPartOfAnAxisAfterItsMajorFactor) {
  Tiles expected;
  for (std::int64_t b = 0; b < 8; ++b) expected[b] = {b / 2 % 2};
  EXPECT_EQ(tiles_of("{mesh['b'=8], [{'b':(2)2}]}"), expected);
}

// [4,2]T(1,0) is 0 2 4 6 1 3 5 7, the devices of positions 0 to 7.
TEST(NamedSharding, PutsListedDevicesInTheOrderOfTheMesh) {
  Tiles expected;
  const std::vector<std::int64_t> devices{0, 2, 4, 6, 1, 3, 5, 7};
  for (std::int64_t position = 0; position < 8; ++position) {
    expected[devices[std::size_t(position)]] = {position / 4, position % 4};
  }
  EXPECT_EQ(tiles_of("{mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'a'}, {'b'}]}"), expected);
  EXPECT_EQ(tiles_of("{mesh['a'=2,'b'=4], device_ids=(0,2,4,6,1,3,5,7), [{'a'}, {'b'}]}"), expected);
}

hlo::Sharding named_sharding(const std::string& text) {
  Scanner scanner(text);
  return read_sharding(scanner);
}

TEST(NamedSharding, HasTheOtherKindsToo) {
  using Kind = hlo::Sharding::Kind;
  EXPECT_EQ(named_sharding("{mesh['a'=2], replicated}").kind, Kind::replicated);
  EXPECT_EQ(named_sharding("{mesh['a'=2], [{}, {}]}").kind, Kind::replicated);
  EXPECT_EQ(named_sharding("{mesh['a'=2], manual}").kind, Kind::manual);
  EXPECT_EQ(named_sharding("{mesh['a'=2], [{?}]}").kind, Kind::unknown);
  EXPECT_EQ(named_sharding("{maximal_mesh[device_id=3]}").kind, Kind::maximal);
  EXPECT_EQ(named_sharding("{maximal_mesh[device_id=3]}").device, 3);
  // The new form and the old one in one text: both halve the first dimension over two devices.
  const hlo::Sharding both = named_sharding("{{mesh['a'=2], [{'a'}, {}]}, {devices=[2,1]<=[2]}}");
  ASSERT_EQ(both.elements.size(), 2U);
  EXPECT_EQ(both.elements[0], both.elements[1]);
  const hlo::Sharding manual = named_sharding("{mesh['a'=2,'b'=4], [{'b'}], manual={'a'}}");
  EXPECT_EQ(manual.subgroups, std::vector{hlo::Sharding::Subgroup::manual});
}

std::vector<std::vector<std::int64_t>> mesh_groups(const std::string& text) {
  Scanner scanner(text);
  return expand(read_replica_groups(scanner));
}

using Groups = std::vector<std::vector<std::int64_t>>;

// Axis 0 of 4 by 2 is 2 i + j with i = 2 i0 + i1; its part (2)2 is i1, whose two devices are 2 apart.
TEST(NamedGroups, ExtendAlongTheAxesInBraces) {
  EXPECT_EQ(mesh_groups("mesh['x'=4,'y'=2] {'x':(2)2}"), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(mesh_groups("mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x'}"), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(mesh_groups("mesh['x'=2,'y'=2] {'y','x'}"), (Groups{{0, 2, 1, 3}}));
  EXPECT_EQ(mesh_groups("maximal_mesh[device_id=1] {}"), (Groups{{1}}));
}

/// The first error of a module of 8 partitions whose only parameter has this sharding: "3:41 MESSAGE".
std::string error_of(const std::string& shape, const std::string& sharding) {
  const ReadResult read = text::read("t", "HloModule m, num_partitions=8\nENTRY e {\n  ROOT p = " + shape +
                                              " parameter(0), sharding=" + sharding + "\n}\n");
  if (read.ok()) return "none";
  const base::Diagnostic& found = read.diagnostics.front();
  return std::to_string(found.location.line) + ":" + std::to_string(found.location.column) + " " + found.message;
}

// "  ROOT p = f32[8] parameter(0), sharding=" has 41 characters, so a sharding begins in column 42.
TEST(NamedSharding, IsRefusedWhereItIsRead) {
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=8], [{'a'}]}"), "none");
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=8], [{'b'}]}"), "3:59 'b' is no axis of the mesh");
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=8], [{'a':(3)2}]}"), "3:61 the axis of size 8 has no such part");
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=8], [{'a','a'}]}"), "3:43 axis \"a\" is used twice");
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=8], device_ids=(0,1,2,3,4,5,6,6), [{'a'}]}"),
            "3:67 the mesh has 8 devices: 0 to 7, each once");
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=8], [{'a'}, {}]}"),
            "3:42 tiles of 2 dimensions for the 1 dimension of f32[8]");
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=8], [{}, {}]}"), "3:42 tiles of 2 dimensions for the 1 dimension of f32[8]");
  EXPECT_EQ(error_of("f32[8]", "{mesh['a'=4], [{'a'}]}"),
            "3:42 tiles on 4 devices of a module with num_partitions=8, of f32[8]");
}

}  // namespace
}  // namespace podsim::hlo::text
