// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/segment.h"

#include <gtest/gtest.h>

namespace podsim::sw::collectives {
namespace {

TEST(SegmentRange, PartitionsAFlowIntoLengthsThatDifferByOneAtMost) {
  for (std::int64_t elements = 1; elements <= 40; ++elements) {
    for (std::int32_t segments = 1; segments <= elements; ++segments) {
      std::int64_t end = 0;
      for (std::int32_t i = 0; i < segments; ++i) {
        const ElementRange range = segment_range(elements, segments, i);
        EXPECT_EQ(range.begin, end);
        EXPECT_GE(range.count, elements / segments);
        EXPECT_LE(range.count, elements / segments + 1);
        end += range.count;
      }
      EXPECT_EQ(end, elements);
    }
  }
}

TEST(SegmentsFor, AreTheLeastNumberOfTheLargestLength) {
  EXPECT_EQ(segments_for(1, 10), 1);
  EXPECT_EQ(segments_for(10, 10), 1);
  EXPECT_EQ(segments_for(11, 10), 2);
}

}  // namespace
}  // namespace podsim::sw::collectives
