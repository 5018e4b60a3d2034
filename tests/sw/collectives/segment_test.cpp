// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/segment.h"

#include <gtest/gtest.h>

namespace podsim::sw::collectives {
namespace {

TEST(Cut, PartitionsAFlowIntoEqualSegmentsAndWhatIsLeft) {
  for (std::int64_t elements = 1; elements <= 40; ++elements) {
    for (std::int64_t wanted = 1; wanted <= elements; ++wanted) {
      const Cut cut = Cut::of(elements, wanted, 1, 30);
      EXPECT_LE(cut.segments, elements <= 30 ? wanted : elements);
      std::int64_t end = 0;
      for (std::int32_t i = 0; i < cut.segments; ++i) {
        const ElementRange range = cut.range(elements, i);
        EXPECT_EQ(range.begin, end);
        EXPECT_GE(range.count, 1);
        EXPECT_LE(range.count, 30);
        if (i + 1 < cut.segments) {
          EXPECT_EQ(range.count, cut.length);
        }
        end += range.count;
      }
      EXPECT_EQ(end, elements);
    }
  }
}

TEST(Cut, KeepsToTheLengthsThatItIsGiven) {
  EXPECT_EQ(Cut::of(100, 4, 1, 1000).segments, 4);   // of 25
  EXPECT_EQ(Cut::of(100, 4, 40, 1000).segments, 3);  // of 40, 40 and 20
  EXPECT_EQ(Cut::of(100, 4, 1, 10).segments, 10);    // of 10
  EXPECT_EQ(Cut::of(0, 4, 1, 10).segments, 0);
}

TEST(Cut, MoreElementsMakeNoSegmentShorter) {
  for (std::int64_t wanted = 1; wanted <= 9; ++wanted) {
    for (std::int64_t elements = 1; elements < 500; ++elements) {
      EXPECT_LE(Cut::of(elements, wanted, 3, 20).length, Cut::of(elements + 1, wanted, 3, 20).length);
    }
  }
}

}  // namespace
}  // namespace podsim::sw::collectives
