// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/collective_groups.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "sw/collectives/group_layout.h"

namespace podsim::sw::collectives {
namespace {

using noc::Topology;
using Groups = std::vector<CollectiveGroups::Ranks>;

const noc::Topology slice_4x2({4, 2}, {true, false});

Groups parse(std::string_view text, int cores = 1) { return CollectiveGroups::parse(text, slice_4x2, cores).groups(); }

TEST(CollectiveGroups, AreReadAsLists) {
  EXPECT_EQ(parse("{{0,1,2,3},{4,5,6,7}}"), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(parse(" { {3, 1} } "), (Groups{{3, 1}}));
}

TEST(CollectiveGroups, AreReadInIotaForm) {
  EXPECT_EQ(parse("[4,2]<=[8]"), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  // XLA's documentation: [2,4]<=[4,2]T(1,0) of 0..7 in rows of two, read by columns.
  EXPECT_EQ(parse("[2,4]<=[4,2]T(1,0)"), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(CollectiveGroups, AreMeshAxesOfTheSliceWithAllCoresOfAChip) {
  EXPECT_EQ(parse("y"), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(parse("x", 2), (Groups{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}));
  EXPECT_EQ(parse("xy").size(), 1u);
}

TEST(CollectiveGroups, CountChipsWhenToldSo) { EXPECT_EQ(parse("chips:{{0,3}}", 2), (Groups{{0, 1, 6, 7}})); }

TEST(CollectiveGroups, RefuseWhatIsNone) {
  for (const char* text : {"", "{}", "{{0,1}", "{{0,1}}x", "z", "xx", "[2,4]<=[7]", "[8]<=[8]", "[2,4]<=[2,4]T(0,0)",
                           "{{0,8}}", "{{0,1},{1,2}}", "[4,4]<=[16]", "{{99999999999}}", "[0,0]<=[0]"}) {
    EXPECT_THROW(parse(text), base::InputError) << text;
  }
}

TEST(CollectiveGroups, PairsHaveEverySourceAndEveryTargetOnce) {
  EXPECT_EQ(CollectiveGroups::parse_pairs("{{0,1},{1,0}}", slice_4x2, 1).groups(), (Groups{{0, 1}, {1, 0}}));
  EXPECT_THROW(CollectiveGroups::parse_pairs("{{0,1},{0,2}}", slice_4x2, 1), base::InputError);
  EXPECT_THROW(CollectiveGroups::parse_pairs("{{0,1},{2,1}}", slice_4x2, 1), base::InputError);
  EXPECT_THROW(CollectiveGroups::parse_pairs("{{0,1,2}}", slice_4x2, 1), base::InputError);
}

GroupLayout layout(const CollectiveGroups::Ranks& ranks, int cores = 1) { return lay_out(ranks, slice_4x2, cores); }

TEST(GroupLayout, ABoxOfChipsHasADimensionForEachThatItSpans) {
  const GroupLayout box = layout({0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_EQ(box.dimensions.size(), 2u);
  EXPECT_EQ(box.dimensions[0], (LogicalDimension{.physical = 0, .size = 4, .stride = 1, .closed = true}));
  EXPECT_EQ(box.dimensions[1], (LogicalDimension{.physical = 1, .size = 2, .stride = 1, .closed = false}));
}

TEST(GroupLayout, AStrideThatGoesAllTheWayAroundIsARing) {
  EXPECT_EQ(layout({0, 2}).dimensions[0], (LogicalDimension{.physical = 0, .size = 2, .stride = 2, .closed = true}));
  EXPECT_EQ(layout({0, 1, 2}).dimensions[0],
            (LogicalDimension{.physical = 0, .size = 3, .stride = 1, .closed = false}));
}

TEST(GroupLayout, AnyOtherGroupIsOneRing) {
  EXPECT_EQ(layout({5, 0, 2}).dimensions, (std::vector<LogicalDimension>{{.size = 3}}));
  EXPECT_EQ(layout({5, 0, 2}).members, (CollectiveGroups::Ranks{0, 2, 5}));
}

TEST(GroupLayout, CoresAreTheInnermostLevelWhereChipsAreComplete) {
  EXPECT_EQ(layout({0, 1, 2, 3}, 2).cores, 2);
  EXPECT_EQ(layout({1, 3, 5, 7}, 2).cores, 1);
  EXPECT_EQ(layout({1, 3, 5, 7}, 2).dimensions[0].size, 4);
  EXPECT_EQ(layout({0, 1, 2}, 2).dimensions, (std::vector<LogicalDimension>{{.size = 3}}));
  EXPECT_TRUE(layout({6}, 2).dimensions.empty());
}

}  // namespace
}  // namespace podsim::sw::collectives
