// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/attribute_value.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace podsim::sw::hlo {
namespace {

TEST(HloAttributeValue, ReadsEveryFieldOfAWindow) {
  Scanner scanner("{size=3x1 stride=2x1 pad=1_2x-1_0 lhs_dilate=1x2 rhs_dilate=3x1 rhs_reversal=0x1}");
  const std::vector<WindowDimension> window = read_window(scanner);
  EXPECT_EQ(window, (std::vector<WindowDimension>{{3, 2, 1, 2, 1, 3, false}, {1, 1, -1, 0, 2, 1, true}}));
}

TEST(HloAttributeValue, ReadsDimensionLabels) {
  Scanner scanner("b01f_0i1o->f0b1");
  const ConvolutionDimensions expected{0, 3, {1, 2}, 1, 3, {0, 2}, 2, 0, {1, 3}};
  EXPECT_EQ(read_dimension_labels(scanner), expected);
}

TEST(HloAttributeValue, ReadsSlicesAndPadding) {
  Scanner slice("{[0:8], [2:10:2]}");
  EXPECT_EQ(read_slice(slice), (std::vector<SliceDimension>{{0, 8, 1}, {2, 10, 2}}));
  Scanner padding("0_0x-1_2_3");
  EXPECT_EQ(read_padding(padding), (std::vector<PadDimension>{{0, 0, 0}, {-1, 2, 3}}));
}

ReplicaGroups groups(std::string_view text) {
  Scanner scanner(text);
  return read_replica_groups(scanner);
}

TEST(HloAttributeValue, ReadsReplicaGroupsInAllForms) {
  EXPECT_EQ(groups("{}"), ReplicaGroups{});
  EXPECT_EQ(groups("{{0,2},{1,3}}"), (ReplicaGroups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("[2,2]<=[4]"), (ReplicaGroups{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups("[2,2]<=[2,2]T(1,0)"), (ReplicaGroups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("mesh['x'=2,'y'=3] {'y'}"), (ReplicaGroups{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(groups("mesh['x'=2,'y'=3] {'x'}"), (ReplicaGroups{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(groups("mesh['x'=2,'y'=2] {'y','x'}"), (ReplicaGroups{{0, 2, 1, 3}}));
}

// Element k of a transposed array, counted by dividing k by the transposed sizes.
Integers transposed_by_division(const IotaDevices& iota) {
  Integers strides(iota.reshape.size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * iota.reshape[i];
  const std::int64_t count =
      std::accumulate(iota.reshape.begin(), iota.reshape.end(), std::int64_t(1), std::multiplies<>());
  Integers devices;
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t rest = k, device = 0;
    for (std::size_t i = iota.permutation.size(); i-- > 0;) {
      const std::size_t axis = std::size_t(iota.permutation[i]);
      device += rest % iota.reshape[axis] * strides[axis];
      rest /= iota.reshape[axis];
    }
    devices.push_back(device);
  }
  return devices;
}

RC_GTEST_PROP(HloAttributeValue, ExpandsIotaDevicesInTransposedOrder, ()) {
  IotaDevices iota;
  iota.reshape = *rc::gen::container<Integers>(4, rc::gen::inRange<std::int64_t>(1, 5));
  iota.permutation = {0, 1, 2, 3};
  for (std::size_t i = 3; i > 0; --i) {
    std::swap(iota.permutation[i], iota.permutation[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  RC_ASSERT(expand(iota) == transposed_by_division(iota));
}

Sharding sharding(std::string_view text) {
  Scanner scanner(text);
  return read_sharding(scanner);
}

TEST(HloAttributeValue, ReadsShardingsInAllForms) {
  EXPECT_EQ(sharding("{replicated}").kind, Sharding::Kind::replicated);
  EXPECT_EQ(sharding("{manual}").kind, Sharding::Kind::manual);
  EXPECT_EQ(sharding("{maximal device=3}").device, 3);
  EXPECT_EQ(sharding("{devices=[2,2]0,2,1,3}").devices, (Integers{0, 2, 1, 3}));
  const Sharding tiled = sharding("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(tiled.tiles, (Integers{4, 1, 2}));
  EXPECT_EQ(tiled.devices, (Integers{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_TRUE(tiled.last_tile_replicates);
  const Sharding partial = sharding("{devices=[2,2]<=[4] last_tile_dims={manual}}");
  EXPECT_EQ(partial.last_tile_kinds, (std::vector<std::string_view>{"manual"}));
  const Sharding tuple = sharding("{{replicated}, /*index=1*/{maximal device=1}}");
  ASSERT_EQ(tuple.elements.size(), 2U);
  EXPECT_EQ(tuple.elements[1].device, 1);
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
}  // namespace podsim::sw::hlo
