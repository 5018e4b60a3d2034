// SPDX-License-Identifier: Apache-2.0
#include "noc/whole_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

namespace podsim::noc {
namespace {

/// Chips of the largest box of powers of two without a dead chip, by trying every box.
std::int64_t largest_of_all_boxes(const Topology& slice, const std::vector<NodeId>& dead) {
  std::int64_t largest = 0;
  for (std::int32_t x = 0; x < slice.size(0); ++x) {
    for (std::int32_t y = 0; y < slice.size(1); ++y) {
      for (std::int32_t width = 1; x + width <= slice.size(0); ++width) {
        for (std::int32_t height = 1; y + height <= slice.size(1); ++height) {
          if (!std::has_single_bit(unsigned(width)) || !std::has_single_bit(unsigned(height))) continue;
          const bool whole = std::ranges::none_of(dead, [&](NodeId chip) {
            const Coordinates at = slice.coordinates(chip);
            return at[0] >= x && at[0] < x + width && at[1] >= y && at[1] < y + height;
          });
          if (whole) largest = std::max<std::int64_t>(largest, std::int64_t(width) * height);
        }
      }
    }
  }
  return largest;
}

TEST(WholePart, IsTheLargestOfAllBoxes) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    const Topology slice({1 + std::int64_t(random() % 8), 1 + std::int64_t(random() % 8)}, {false, false});
    std::vector<NodeId> dead;
    for (std::uint64_t number = 1 + random() % 5; number > 0; --number) {
      dead.push_back(NodeId(random() % std::uint64_t(slice.nodes())));
    }
    const SlicePart part = whole_part(slice, dead);
    EXPECT_EQ(std::int64_t(part.sizes[0]) * part.sizes[1], largest_of_all_boxes(slice, dead)) << to_string(slice);
  }
}

TEST(WholePart, IsNamedByItsSizeAndFirstChip) {
  // Without (2,2), 4x4 chips have two whole columns of four in front, and two rows.
  const Topology slice({4, 4}, {false, false});
  const std::vector<NodeId> dead{slice.node({2, 2})};
  EXPECT_EQ(to_string(whole_part(slice, dead)), "2x4 chips from (0,0) on");
  const Topology one({1}, {false});
  EXPECT_EQ(to_string(whole_part(one, std::vector<NodeId>{0})), "no chip");
}

}  // namespace
}  // namespace podsim::noc
