// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/remaining_slice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

namespace podsim::workloads::goodput {
namespace {

const noc::PodShape pods_of_v3{{32, 32}, 4};

Site site_of(const noc::PodShape& pod, const Sizes& sizes, std::int64_t host_chips = 8) {
  return {noc::slice_topology(pod, sizes), pod, host_chips};
}

/// The chips of a box, walked link by link from its origin: neighbours in the box are neighbours in the slice.
std::set<noc::NodeId> chips_by_walking(const Site& site, const Box& box) {
  std::set<noc::NodeId> chips;
  for (std::int64_t y = 0; y < box.sizes[1]; ++y) {
    noc::NodeId chip = site.slice().node(box.origin);
    for (std::int64_t step = 0; step < y; ++step) chip = site.slice().neighbour(chip, 1, 1).value();
    for (std::int64_t x = 0; x < box.sizes[0]; ++x) {
      chips.insert(chip);
      if (x + 1 < box.sizes[0]) chip = site.slice().neighbour(chip, 0, 1).value();
    }
  }
  return chips;
}

std::int64_t chips_in(const Sizes& sizes) { return sizes[0] * sizes[1]; }

TEST(Site, HasTheHostsOfTpuV3) {
  const Site site = site_of(pods_of_v3, {8, 8});
  EXPECT_EQ(site.host_box(), (std::vector<std::int32_t>{4, 2}));
  EXPECT_EQ(site.hosts(), 8);
  EXPECT_EQ(site.host_of(site.slice().node({5, 3})), 3);  // second of two along x, second of four along y
  for (std::int64_t host = 0; host < site.hosts(); ++host) EXPECT_EQ(site.chips_of(host).size(), 8u);
  // Between hosts: one border along x with 8 links, three along y with 8 each.
  EXPECT_EQ(site.cables().size(), 8u + 3 * 8);
  EXPECT_TRUE(site.optical_links().empty());
}

TEST(Site, OfFourPodsHasOpticalLinksBetweenThem) {
  const Site site = site_of(pods_of_v3, {128, 32});
  EXPECT_EQ(site.hosts(), 512);
  EXPECT_EQ(site.optical_links().size(), 3u * 32);
  // Along x 31 borders of hosts, of which 3 between pods; along y 16 with the wrap.
  EXPECT_EQ(site.cables().size(), 28u * 32 + 16 * 128);
}

TEST(RemainingSlice, TriesTheLargestFirst) {
  const Site site = site_of(pods_of_v3, {128, 32});
  const std::vector<Sizes> slices = smaller_slices(site);
  EXPECT_EQ(slices[0], (Sizes{64, 32}));  // a torus along y
  EXPECT_EQ(slices[1], (Sizes{128, 16}));
  EXPECT_EQ(slices[2], (Sizes{32, 32}));
  EXPECT_TRUE(std::ranges::is_sorted(slices, std::greater<>(), chips_in));
  for (const Sizes& sizes : slices) EXPECT_EQ(noc::slice_problem(pods_of_v3, sizes), "");
}

/// Half of a slice without one dead chip remains, wherever that is.
TEST(RemainingSlice, OfOneDeadChipIsHalfOfTheSlice) {
  for (const Sizes& sizes : {Sizes{8, 8}, Sizes{32, 32}, Sizes{16, 4}}) {
    const Site site = site_of(pods_of_v3, sizes);
    for (noc::NodeId dead = 0; dead < site.slice().nodes(); ++dead) {
      const auto box = largest_free_box(site, {&dead, 1}, {});
      ASSERT_TRUE(box);
      EXPECT_EQ(2 * chips_in(box->sizes), site.slice().nodes());
      EXPECT_FALSE(chips_by_walking(site, *box).contains(dead));
    }
  }
}

/// Boxes and chips against a walk over links, and no larger box of powers of two among all of them, on slices with and
/// without wraps.
TEST(RemainingSlice, IsTheLargestOfAllBoxes) {
  const noc::PodShape small{{8, 4}, 1};
  for (const Sizes& sizes : {Sizes{8, 4}, Sizes{4, 4}}) {
    const Site site = site_of(small, sizes, 2);
    std::uint64_t random = 12345;
    for (int trial = 0; trial < 200; ++trial) {
      std::set<noc::NodeId> dead;
      for (int i = 0; i < 1 + trial % 5; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        dead.insert(noc::NodeId((random >> 33) % std::uint64_t(site.slice().nodes())));
      }
      const std::vector<noc::NodeId> chips(dead.begin(), dead.end());
      std::int64_t largest = 0;
      for (std::int64_t w = 1; w <= sizes[0]; w *= 2) {
        for (std::int64_t h = 1; h <= sizes[1]; h *= 2) {
          for (noc::NodeId origin = 0; origin < site.slice().nodes(); ++origin) {
            const noc::Coordinates at = site.slice().coordinates(origin);
            if (!site.slice().wraps(0) && at[0] + w > sizes[0]) continue;
            if (!site.slice().wraps(1) && at[1] + h > sizes[1]) continue;
            const Box box{at, {w, h}, {false, false}};
            const std::set<noc::NodeId> members = chips_by_walking(site, box);
            for (noc::NodeId chip = 0; chip < site.slice().nodes(); ++chip) {
              ASSERT_EQ(has_chip(site, box, chip), members.contains(chip));
            }
            const bool free = std::ranges::none_of(chips, [&](noc::NodeId chip) { return members.contains(chip); });
            if (free) largest = std::max(largest, w * h);
          }
        }
      }
      const auto found = largest_free_box(site, chips, {});
      EXPECT_EQ(found ? chips_in(found->sizes) : 0, largest);
    }
  }
}

TEST(RemainingSlice, TakesWholePodsOrPartsOfOne) {
  const Site site = site_of(pods_of_v3, {128, 32});
  // One dead chip in the second pod: two pods that are neighbours remain behind it.
  const noc::NodeId dead = site.slice().node({40, 0});
  EXPECT_EQ(free_box(site, {64, 32}, {&dead, 1}, {})->origin[0], 64);
  // One in each pod: no pod is whole.
  std::vector<noc::NodeId> four;
  for (std::int32_t pod = 0; pod < 4; ++pod) four.push_back(site.slice().node({32 * pod + 5, 7}));
  EXPECT_FALSE(free_box(site, {32, 32}, four, {}));
  EXPECT_EQ(largest_free_box(site, four, {})->sizes, (Sizes{128, 16}));
}

TEST(RemainingSlice, UsesAWrapLinkOnlyWithItsWholeDimension) {
  const Site site = site_of({{8, 8}, 1}, {8, 8}, 1);
  const noc::LinkId wrap = site.slice().link_id(site.slice().node({7, 3}), 0, 1);  // (7,3) to (0,3)
  EXPECT_TRUE(has_link(site, whole(site), wrap));
  const Box rows{{0, 0}, {8, 4}, {true, false}}, columns{{0, 0}, {4, 8}, {false, true}},
      across{{6, 0}, {4, 8}, {false, true}};
  EXPECT_TRUE(has_link(site, rows, wrap));
  EXPECT_FALSE(has_link(site, columns, wrap));
  EXPECT_TRUE(has_link(site, across, wrap));
}

}  // namespace
}  // namespace podsim::workloads::goodput
