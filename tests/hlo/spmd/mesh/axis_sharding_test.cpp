// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/axis_sharding.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/diagnostic.h"

namespace podsim::hlo::spmd::mesh {
namespace {

/// Every mesh of up to three axes and at most `most` partitions.
std::vector<Mesh> meshes(std::int64_t most) {
  std::vector<Mesh> result;
  for (std::int64_t x = 1; x <= most; ++x) {
    result.emplace_back(Mesh({{"x", x}}));
    for (std::int64_t y = 1; x * y <= most; ++y) {
      result.emplace_back(Mesh({{"x", x}, {"y", y}}));
      for (std::int64_t z = 1; x * y * z <= most; ++z) result.emplace_back(Mesh({{"x", x}, {"y", y}, {"z", z}}));
    }
  }
  return result;
}

/// Assigns some of the sub-axes, in any order, to the dimensions.
AxisSharding arbitrary_sharding(const Mesh& mesh, int rank) {
  AxisSharding sharding = replicated(rank);
  SubAxes rest = mesh.all();
  while (!rest.empty()) {
    const auto next = rest.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ptrdiff_t(rest.size()));
    const auto place = std::size_t(*rc::gen::inRange(0, rank + 1));
    if (place < std::size_t(rank)) sharding.dimensions[place].push_back(*next);
    rest.erase(next);
  }
  return sharding;
}

/// Counting through the sub-axes as an odometer does: the digits of a partition.
std::vector<std::int64_t> digits_of(const Mesh& mesh, std::int64_t partition) {
  std::vector<std::int64_t> digits(std::size_t(mesh.sub_axis_count()), 0);
  for (std::int64_t i = 0; i < partition; ++i) {
    std::size_t digit = digits.size();
    while (digit-- > 0 && ++digits[digit] == mesh.size(SubAxis(digit))) digits[digit] = 0;
  }
  return digits;
}

/// Index of a partition in the list of devices: row-major over the tiles, then by the sub-axes that split nothing.
std::int64_t place_in_list(const Mesh& mesh, const AxisSharding& sharding, std::int64_t partition) {
  const std::vector<std::int64_t> digits = digits_of(mesh, partition);
  std::int64_t place = 0;
  const auto go = [&](SubAxis sub_axis) { place = place * mesh.size(sub_axis) + digits[sub_axis]; };
  for (const SubAxes& dimension : sharding.dimensions) std::ranges::for_each(dimension, go);
  for (const SubAxis sub_axis : mesh.all()) {
    if (!sharding.uses(sub_axis)) go(sub_axis);
  }
  return place;
}

RC_GTEST_PROP(AxisSharding, HandsTheTilesToThePartitionsThatHoldThem, ()) {
  static const std::vector<Mesh> all = meshes(24);
  for (const Mesh& mesh : all) {
    const int rank = *rc::gen::inRange(1, 4);
    const AxisSharding sharding = arbitrary_sharding(mesh, rank);
    const hlo::Sharding hlo = to_hlo(mesh, sharding);
    RC_ASSERT(from_hlo(mesh, hlo, rank) == sharding);
    if (sharding.is_replicated()) {
      RC_ASSERT(hlo == hlo::Sharding{});
      continue;
    }
    const std::vector<std::int64_t> devices = hlo.device_list();
    RC_ASSERT(std::int64_t(devices.size()) == mesh.partitions());
    for (std::int64_t partition = 0; partition < mesh.partitions(); ++partition) {
      RC_ASSERT(devices[std::size_t(place_in_list(mesh, sharding, partition))] == partition);
    }
  }
}

RC_GTEST_PROP(AxisSharding, FindsTheSubAxesOfAListOfDevicesWhateverTheOrderOfCopies, ()) {
  static const std::vector<Mesh> all = meshes(24);
  for (const Mesh& mesh : all) {
    const int rank = *rc::gen::inRange(1, 4);
    const AxisSharding sharding = arbitrary_sharding(mesh, rank);
    hlo::Sharding list = to_hlo(mesh, sharding);
    if (list.kind != hlo::Sharding::Kind::tiled) continue;
    list.devices = list.device_list();
    list.iota.clear();
    list.permutation.clear();
    RC_ASSERT(from_hlo(mesh, list, rank) == sharding);
    if (list.subgroups.empty()) continue;
    const std::int64_t copies = list.tiles.back();
    for (auto part = list.devices.begin(); part != list.devices.end(); part += copies)
      std::reverse(part, part + copies);
    RC_ASSERT(from_hlo(mesh, list, rank) == sharding);
  }
}

/// If a list converts to a sharding, converting that back gives an equivalent list: other lists are not accepted.
RC_GTEST_PROP(AxisSharding, TakesNoOtherListOfDevices, ()) {
  const std::int64_t count = *rc::gen::inRange<std::int64_t>(2, 9);
  const Mesh mesh({{"x", count}});
  hlo::Sharding list;
  list.kind = hlo::Sharding::Kind::tiled;
  list.tiles = {count};
  list.devices = std::vector<std::int64_t>(std::size_t(count));
  std::iota(list.devices.begin(), list.devices.end(), 0);
  for (std::size_t i = list.devices.size() - 1; i > 0; --i) {
    std::swap(list.devices[i], list.devices[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  const std::optional<AxisSharding> found = from_hlo(mesh, list, 1);
  if (found) RC_ASSERT(to_hlo(mesh, *found).device_list() == list.devices);
}

hlo::Sharding tiled(std::vector<std::int64_t> tiles, std::vector<std::int64_t> iota, std::vector<int> permutation,
                    std::vector<hlo::Sharding::Subgroup> subgroups = {}) {
  hlo::Sharding sharding;
  sharding.kind = hlo::Sharding::Kind::tiled;
  sharding.tiles = std::move(tiles);
  sharding.iota = std::move(iota);
  sharding.permutation = std::move(permutation);
  sharding.subgroups = std::move(subgroups);
  return sharding;
}

// x = 4 has the sub-axes 0 and 1, y = 2 has 2. A list of [2,4]<=[2,4]T(1,0) has y before x.
TEST(AxisSharding, AShardAlongAPartOfTheMeshIsDividedAlongTheOthers) {
  const Mesh mesh = Mesh::parse("x=4,y=2");
  constexpr auto copies = hlo::Sharding::Subgroup::replicated, by_hand = hlo::Sharding::Subgroup::manual;
  const auto expect = [&](const hlo::Sharding& sharding, const SubAxes& divided, const SubAxes& manual) {
    EXPECT_EQ(from_hlo(mesh, sharding, 1), (AxisSharding{{divided}, false})) << hlo::to_string(sharding);
    EXPECT_EQ(manual_sub_axes(mesh, sharding), manual) << hlo::to_string(sharding);
  };
  expect(tiled({1, 4, 2}, {8}, {}, {by_hand, copies}), {}, {0, 1});
  expect(tiled({1, 4, 2}, {8}, {}, {copies, by_hand}), {}, {2});
  expect(tiled({2, 4}, {8}, {}, {by_hand}), {0}, {1, 2});
  expect(tiled({2, 4}, {4, 2}, {1, 0}, {by_hand}), {2}, {0, 1});
  expect(tiled({2, 4}, {8}, {}, {copies}), {0}, {});
}

TEST(AxisSharding, ReadsHlosForms) {
  const Mesh mesh = Mesh::parse("x=4,y=2");
  constexpr auto copies = hlo::Sharding::Subgroup::replicated, by_hand = hlo::Sharding::Subgroup::manual;
  EXPECT_EQ(from_hlo(mesh, tiled({2, 1, 4}, {4, 2}, {1, 0}, {copies}), 2), (AxisSharding{{{2}, {}}, false}));
  EXPECT_EQ(from_hlo(mesh, tiled({2, 4}, {8}, {}), 2), (AxisSharding{{{0}, {1, 2}}, false}));
  EXPECT_EQ(from_hlo(mesh, tiled({4, 2}, {2, 2, 2}, {1, 0, 2}), 2), (AxisSharding{{{1, 0}, {2}}, false}));
  EXPECT_EQ(from_hlo(mesh, tiled({1, 8}, {8}, {}, {by_hand}), 1), manual(1));
  EXPECT_EQ(from_hlo(mesh, tiled({4}, {4}, {}), 1), std::nullopt) << "not all partitions";
  EXPECT_EQ(from_hlo(mesh, tiled({8}, {8}, {}), 2), std::nullopt) << "another rank";
  hlo::Sharding whole;
  EXPECT_EQ(from_hlo(mesh, whole, 3), replicated(3));
  whole.kind = hlo::Sharding::Kind::maximal;
  EXPECT_EQ(from_hlo(mesh, whole, 3), replicated(3));
  whole.kind = hlo::Sharding::Kind::manual;
  EXPECT_EQ(from_hlo(mesh, whole, 3), manual(3));
  EXPECT_EQ(to_hlo(mesh, manual(3)), whole);
  whole.kind = hlo::Sharding::Kind::unknown;
  EXPECT_EQ(from_hlo(mesh, whole, 3), std::nullopt);
}

TEST(AxisSharding, TilesThatFallInsideOfPrimeFactorsAreNone) {
  // 12 positions are 2 x 2 x 3: quarters of the axis are sub-axes, thirds are not.
  const Mesh mesh({{"x", 12}});
  EXPECT_EQ(from_hlo(mesh, tiled({3, 4}, {12}, {}), 2), std::nullopt);
  EXPECT_EQ(from_hlo(mesh, tiled({4, 3}, {12}, {}), 2), (AxisSharding{{{0, 1}, {2}}, false}));
  EXPECT_EQ(from_hlo(mesh, tiled({12}, {3, 4}, {}), 1), (AxisSharding{{{0, 1, 2}}, false}))
      << "the same list as <=[12]";
  EXPECT_EQ(from_hlo(mesh, tiled({12}, {3, 4}, {1, 0}), 1), std::nullopt);
}

TEST(AxisSharding, CoversTuplesArrayByArray) {
  const Mesh mesh = Mesh::parse("2x2");
  const hlo::Shape array = hlo::make_shape(hlo::ElementType::f32, {8, 8});
  const hlo::Shape nested =
      hlo::make_tuple_shape({array, hlo::make_tuple_shape({hlo::make_shape(hlo::ElementType::f32, {})})});
  const ValueSharding value{{{{1}, {0}}, false}, replicated(0)};
  const hlo::Sharding hlo = to_hlo(mesh, nested, value);
  EXPECT_EQ(hlo::to_string(hlo), "{{devices=[2,2]<=[2,2]T(1,0)}, {replicated}}");
  EXPECT_EQ(from_hlo(mesh, hlo, nested), value);
  EXPECT_EQ(from_hlo(mesh, hlo::Sharding{}, nested), replicated(nested));
  EXPECT_EQ(from_hlo(mesh, hlo, hlo::make_tuple_shape({array})), std::nullopt);
  EXPECT_EQ(from_hlo(mesh, hlo, array), std::nullopt);
  const hlo::Shape empty = hlo::make_tuple_shape({});
  EXPECT_EQ(hlo::to_string(to_hlo(mesh, empty, {})), "{{replicated}}");
  EXPECT_EQ(from_hlo(mesh, to_hlo(mesh, empty, {}), empty), ValueSharding{});
}

TEST(AxisSharding, ShardsOfUnevenDimensionsAreShorterOrEmptyAtTheEnd) {
  const Mesh mesh({{"x", 4}, {"y", 3}});
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::bf16, {5, 6});
  const AxisSharding split{{{0, 1}, {2}}, false};
  EXPECT_EQ(local_shape(mesh, shape, split), hlo::make_shape(hlo::ElementType::bf16, {2, 2}));
  EXPECT_FALSE(is_even(mesh, shape, split));
  EXPECT_TRUE(is_even(mesh, hlo::make_shape(hlo::ElementType::bf16, {8, 6}), split));
  using Range = std::pair<std::int64_t, std::int64_t>;
  const std::vector<Range> rows{{0, 2}, {2, 4}, {4, 5}, {5, 5}};
  for (std::int64_t partition = 0; partition < 12; ++partition) {
    EXPECT_EQ(held_range(mesh, shape, split, 0, partition), rows[std::size_t(partition / 3)]);
    EXPECT_EQ(held_range(mesh, shape, split, 1, partition), (Range{2 * (partition % 3), 2 * (partition % 3) + 2}));
  }
  const hlo::Shape none = hlo::make_shape(hlo::ElementType::f32, {0, 3});
  EXPECT_EQ(local_shape(mesh, none, split).dimensions, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(held_range(mesh, none, split, 0, 11), (Range{0, 0}));
}

TEST(AxisSharding, AxesOfOnePartitionCutNothing) {
  const Mesh mesh = Mesh::parse("x=1,y=4");
  EXPECT_TRUE(parse_axes(mesh, {"x"}, 1).is_replicated());
  EXPECT_EQ(parse_axes(mesh, {"x+y"}, 1), parse_axes(mesh, {"y"}, 1));
  EXPECT_EQ(to_hlo(Mesh(), replicated(2)), hlo::Sharding{});
}

TEST(AxisSharding, KnowsWhatItUses) {
  const AxisSharding sharding{{{3, 0}, {}, {1}}, false};
  EXPECT_EQ(sharding.used(), (SubAxes{0, 1, 3}));
  EXPECT_TRUE(sharding.uses(3));
  EXPECT_FALSE(sharding.uses(2));
  EXPECT_FALSE(sharding.is_replicated());
  EXPECT_TRUE(replicated(2).is_replicated());
  EXPECT_FALSE(manual(2).is_replicated());
}

RC_GTEST_PROP(AxisSharding, ReadsWhatItPrints, ()) {
  static const std::vector<Mesh> all = meshes(24);
  for (const Mesh& mesh : all) {
    const AxisSharding sharding = arbitrary_sharding(mesh, 3);
    if (sharding.is_replicated()) continue;
    std::string text = to_string(mesh, sharding);
    std::vector<std::string> dimensions(1);
    for (const char c : text.substr(1, text.size() - 2)) {
      if (c == ',')
        dimensions.emplace_back();
      else
        dimensions.back() += c;
    }
    RC_ASSERT(parse_axes(mesh, dimensions, 3) == sharding);
  }
}

TEST(AxisSharding, ReadsNamesOfAxes) {
  const Mesh mesh = Mesh::parse("x=4,y=2,z=2");
  EXPECT_EQ(parse_axes(mesh, {"z+x", "", "y"}, 4), (AxisSharding{{{3, 0, 1}, {}, {2}, {}}, false}));
  EXPECT_EQ(parse_axes(mesh, {"-", "x[1:2]"}, 2), (AxisSharding{{{}, {1}}, false}));
  EXPECT_EQ(to_string(mesh, parse_axes(mesh, {"z+x", "", "y"}, 4)), "[z+x, -, y, -]");
  EXPECT_EQ(to_string(mesh, replicated(2)), "replicated");
  EXPECT_EQ(to_string(mesh, manual(2)), "manual");
}

TEST(AxisSharding, SaysWhatIsWrongWithNamesOfAxes) {
  const Mesh mesh = Mesh::parse("data=4,model=2");
  const auto error = [&](const std::vector<std::string>& dimensions) {
    try {
      parse_axes(mesh, dimensions, 2);
    } catch (const base::InputError& wrong) {
      return wrong.diagnostics().at(0);
    }
    return base::Diagnostic{};
  };
  EXPECT_EQ(error({"modle"}).message, "'modle' is no axis of the mesh");
  EXPECT_EQ(error({"modle"}).hint, "did you mean 'model'?");
  EXPECT_EQ(error({"q"}).hint, "the mesh has: data, model");
  EXPECT_EQ(error({"data", "model+data"}).message, "the mesh axis 'data' cuts the value twice");
  EXPECT_EQ(error({"data", "", "model"}).message, "3 dimensions are named, but the value has 2");
  EXPECT_EQ(error({"data+"}).message, "'' is no axis of the mesh");
  EXPECT_EQ(error({"data[1:3]"}).message, "'data[1:3]' is beyond the axis, which has 2 prime factors");
  EXPECT_EQ(error({"data["}).message, "'data[' is no part of an axis");
  EXPECT_EQ(error({"data[1]"}).message, "'data[1]' is no part of an axis");
}

}  // namespace
}  // namespace podsim::hlo::spmd::mesh
