// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/pattern_factory.h"

#include <gtest/gtest.h>

#include "tests/sw/collectives/patterns/phase_walk.h"

namespace podsim::sw::collectives::patterns {
namespace {

constexpr SegmentLengths factory_lengths{.link = 100, .most = 1000};
constexpr LogicalDimension scattered_chips{.physical = -1, .size = 4};

PatternFactory factory(Algorithm algorithm, int stripes_per_link = 2) {
  return PatternFactory(algorithm, factory_lengths, stripes_per_link);
}

TEST(PatternFactory, TakesRingsWhereADimensionIsClosedAndLinesWhereItIsOpen) {
  for (Algorithm algorithm : {Algorithm::y_then_x, Algorithm::two_colour, Algorithm::rotated}) {
    EXPECT_EQ(factory(algorithm).reduce_scatter(closed(4), 10)->shape(), "ring");
    EXPECT_EQ(factory(algorithm).reduce_scatter(open(4), 10)->shape(), "line");
    EXPECT_EQ(factory(algorithm).reduce_scatter(scattered_chips, 10)->shape(), "ring");
    EXPECT_EQ(factory(algorithm).all_gather(open(4), 10)->shape(), "line");
    EXPECT_EQ(factory(algorithm).broadcast(open(4), 10)->shape(), "line");
    EXPECT_EQ(factory(algorithm).exchange(closed(4), 10, 1)->shape(), "ring");
  }
}

TEST(PatternFactory, FollowsAnAlgorithmThatNamesAShape) {
  EXPECT_EQ(factory(Algorithm::ring).all_gather(open(4), 10)->shape(), "ring");
  EXPECT_EQ(factory(Algorithm::one_way_ring).all_gather(open(4), 10)->shape(), "one-way ring");
  EXPECT_EQ(factory(Algorithm::one_way_ring).broadcast(closed(4), 10)->shape(), "one-way ring");
  EXPECT_EQ(factory(Algorithm::line).all_gather(closed(4), 10)->shape(), "line");
  EXPECT_EQ(factory(Algorithm::line).all_gather(scattered_chips, 10)->shape(), "ring");
}

TEST(PatternFactory, NamesThePhase) {
  const PatternFactory patterns = factory(Algorithm::y_then_x);
  EXPECT_EQ(patterns.reduce_scatter(open(4), 10)->name(), "reduce-scatter");
  EXPECT_EQ(patterns.all_gather(closed(4), 10)->name(), "all-gather");
  EXPECT_EQ(patterns.broadcast(closed(4), 10)->name(), "broadcast");
  EXPECT_EQ(patterns.exchange(open(4), 10, 1)->name(), "exchange");
  EXPECT_EQ(patterns.direct({closed(4)}, 1, 10)->name(), "all-to-all");
  EXPECT_EQ(patterns.permute(10)->name(), "collective-permute");
}

TEST(PatternFactory, OneStripeOnALinkSendsTwoSegmentsAtATime) {
  EXPECT_EQ(factory(Algorithm::ring, 1).all_gather(closed(4), 10)->segments(+1), 2);
  EXPECT_EQ(factory(Algorithm::ring, 2).all_gather(closed(4), 10)->segments(+1), 1);
}

TEST(PatternFactory, SegmentsHaveTheLengthsThatTheMachineAllows) {
  EXPECT_EQ(factory(Algorithm::ring).broadcast(closed(4), 1000)->segments(+1), 10);  // of `link` elements
  EXPECT_EQ(factory(Algorithm::ring).all_gather(closed(4), 4000)->segments(+1), 2);  // of `most` at most
  EXPECT_EQ(factory(Algorithm::one_way_ring).broadcast(closed(4), 1000)->segments(+1), 1);
}

}  // namespace
}  // namespace podsim::sw::collectives::patterns
