// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/attribute_value.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "hlo/iota_devices.h"

namespace podsim::hlo::text {
namespace {

TEST(HloAttributeValue, ReadsEveryFieldOfAWindow) {
  Scanner scanner("{size=3x1 stride=2x1 pad=1_2x-1_0 lhs_dilate=1x2 rhs_dilate=3x1 rhs_reversal=0x1}");
  const std::vector<hlo::WindowDimension> window = read_window(scanner);
  EXPECT_EQ(window, (std::vector<hlo::WindowDimension>{{3, 2, 1, 2, 1, 3, false}, {1, 1, -1, 0, 2, 1, true}}));
}

TEST(HloAttributeValue, ReadsDimensionLabels) {
  Scanner scanner("b01f_0i1o->f0b1");
  const hlo::ConvolutionDimensions expected{0, 3, {1, 2}, 1, 3, {0, 2}, 2, 0, {1, 3}};
  EXPECT_EQ(read_dimension_labels(scanner), expected);
}

TEST(HloAttributeValue, ReadsSlicesAndPadding) {
  Scanner slice("{[0:8], [2:10:2]}");
  EXPECT_EQ(read_slice(slice), (std::vector<hlo::SliceDimension>{{0, 8, 1}, {2, 10, 2}}));
  Scanner padding("0_0x-1_2_3");
  EXPECT_EQ(read_padding(padding), (std::vector<hlo::PadDimension>{{0, 0, 0}, {-1, 2, 3}}));
}

std::vector<Integers> groups(std::string_view text) {
  Scanner scanner(text);
  return expand(read_replica_groups(scanner));
}

TEST(HloAttributeValue, ReadsReplicaGroupsInAllForms) {
  EXPECT_EQ(groups("{}"), std::vector<Integers>{});
  EXPECT_EQ(groups("{{0,2},{1,3}}"), (std::vector<Integers>{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("[2,2]<=[4]"), (std::vector<Integers>{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups("[2,2]<=[2,2]T(1,0)"), (std::vector<Integers>{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("mesh['x'=2,'y'=3] {'y'}"), (std::vector<Integers>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(groups("mesh['x'=2,'y'=3] {'x'}"), (std::vector<Integers>{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(groups("mesh['x'=2,'y'=2] {'y','x'}"), (std::vector<Integers>{{0, 2, 1, 3}}));
}

TEST(HloAttributeValue, KeepsGroupsInIotaForm) {
  Scanner scanner("[4,2]<=[2,2,2]T(2,0,1)");
  const ReplicaGroups read = read_replica_groups(scanner);
  EXPECT_TRUE(read.lists.empty());
  EXPECT_EQ(read.iota, (hlo::IotaGroups{4, 2, {2, 2, 2}, {2, 0, 1}}));
}

// Element k of a transposed array, computed by dividing k by the transposed sizes.
Integers transposed_by_division(const IotaDevices& iota) {
  Integers strides(iota.iota.size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * iota.iota[i];
  const std::int64_t count = std::accumulate(iota.iota.begin(), iota.iota.end(), std::int64_t(1), std::multiplies<>());
  Integers devices;
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t rest = k, device = 0;
    for (std::size_t i = iota.permutation.size(); i-- > 0;) {
      const std::size_t axis = std::size_t(iota.permutation[i]);
      device += rest % iota.iota[axis] * strides[axis];
      rest /= iota.iota[axis];
    }
    devices.push_back(device);
  }
  return devices;
}

RC_GTEST_PROP(HloAttributeValue, ExpandsIotaDevicesInTransposedOrder, ()) {
  IotaDevices iota;
  iota.iota = *rc::gen::container<Integers>(4, rc::gen::inRange<std::int64_t>(1, 5));
  iota.permutation = {0, 1, 2, 3};
  for (std::size_t i = 3; i > 0; --i) {
    std::swap(iota.permutation[i], iota.permutation[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  RC_ASSERT(hlo::expand_iota(iota.iota, iota.permutation) == transposed_by_division(iota));
}

hlo::Sharding sharding(std::string_view text) {
  Scanner scanner(text);
  return read_sharding(scanner);
}

TEST(HloAttributeValue, ReadsShardingsInAllForms) {
  EXPECT_EQ(sharding("{replicated}").kind, hlo::Sharding::Kind::replicated);
  EXPECT_EQ(sharding("{manual}").kind, hlo::Sharding::Kind::manual);
  EXPECT_EQ(sharding("{maximal device=3}").device, 3);
  EXPECT_EQ(sharding("{devices=[2,2]0,2,1,3}").devices, (Integers{0, 2, 1, 3}));
  const hlo::Sharding tiled = sharding("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(tiled.tiles, (Integers{4, 1, 2}));
  EXPECT_EQ(tiled.device_list(), (Integers{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_TRUE(tiled.devices.empty()) << "it stays in iota form";
  EXPECT_EQ(tiled.subgroups, (std::vector{hlo::Sharding::Subgroup::replicated}));
  EXPECT_EQ(tiled.rank(), 2);
  const hlo::Sharding partial = sharding("{devices=[2,2]<=[4] last_tile_dims={manual}}");
  EXPECT_EQ(partial.subgroups, (std::vector{hlo::Sharding::Subgroup::manual}));
  EXPECT_EQ(sharding("{devices=[2]0,1 replicated}"), hlo::Sharding{}) << "the last word on it counts";
  EXPECT_EQ(sharding("{unreduced}").kind, hlo::Sharding::Kind::unknown);
  EXPECT_EQ(sharding("{devices=[2,2]<=[4] last_tile_dims={unreduced}}"),
            sharding("{devices=[2,2]<=[4] last_tile_dim_replicate}"));
  EXPECT_EQ(sharding("{maximal device=3 metadata={op_name=\"a\"}}"), sharding("{maximal device=3}"));
  const hlo::Sharding tuple = sharding("{{replicated}, /*index=1*/{maximal device=1}}");
  ASSERT_EQ(tuple.elements.size(), 2U);
  EXPECT_EQ(tuple.elements[1].device, 1);
}

Integers arbitrary_permutation(std::size_t size) {
  Integers numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::size_t i = size; i > 1; --i) std::swap(numbers[i - 1], numbers[*rc::gen::inRange<std::size_t>(0, i)]);
  return numbers;
}

hlo::Sharding arbitrary_sharding(int depth) {
  using Kind = hlo::Sharding::Kind;
  hlo::Sharding made;
  made.kind = *rc::gen::element(Kind::replicated, Kind::maximal, Kind::manual, Kind::unknown, Kind::tiled, Kind::tuple);
  if (made.kind == Kind::maximal) made.device = *rc::gen::inRange(0, 100);
  if (made.kind == Kind::tuple) {
    const int elements = depth == 0 ? 0 : *rc::gen::inRange(0, 4);
    for (int i = 0; i < elements; ++i) made.elements.push_back(arbitrary_sharding(depth - 1));
  }
  if (made.kind != Kind::tiled) return made;
  made.tiles = *rc::gen::container<Integers>(4, rc::gen::inRange<std::int64_t>(1, 4));
  const int subgroups = *rc::gen::inRange(0, 3);
  for (int i = 0; i < subgroups; ++i) {
    made.subgroups.push_back(*rc::gen::element(hlo::Sharding::Subgroup::replicated, hlo::Sharding::Subgroup::manual));
  }
  if (*rc::gen::arbitrary<bool>()) {
    made.devices = arbitrary_permutation(
        std::size_t(std::accumulate(made.tiles.begin(), made.tiles.end(), std::int64_t(1), std::multiplies<>())));
    return made;
  }
  made.iota = made.tiles;
  if (!*rc::gen::arbitrary<bool>()) return made;
  for (const std::int64_t dimension : arbitrary_permutation(4)) made.permutation.push_back(int(dimension));
  return made;
}

RC_GTEST_PROP(HloAttributeValue, ReadsShardingsAsTheyArePrinted, ()) {
  const hlo::Sharding made = arbitrary_sharding(2);
  RC_ASSERT(sharding(hlo::to_string(made)) == made);
}

TEST(HloAttributeValue, ReadsFieldsAndAliases) {
  Scanner text(R"({op_name="jit(f)/a \"b\"" source_line=3, profile_type={1}})");
  const std::vector<Field> fields = read_fields(text);
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].value, R"(jit(f)/a \"b\")");
  EXPECT_EQ(fields[2].value, "{1}");
  Scanner aliased("{ {0,1}: (2, {3}, must-alias), {}: (1, {}) }");
  const std::vector<Alias> aliases = read_aliases(aliased);
  ASSERT_EQ(aliases.size(), 2U);
  EXPECT_EQ(aliases[0].output_index, (Integers{0, 1}));
  EXPECT_EQ(aliases[0].operand, 2);
  EXPECT_TRUE(aliases[0].must);
  EXPECT_FALSE(aliases[1].must);
}

}  // namespace
}  // namespace podsim::hlo::text
