// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sw/collectives/collective_schedule.h"

namespace podsim::sw::collectives {
namespace {

using noc::Topology;

GroupSchedule group_schedule(const noc::Topology& slice, int cores, CollectiveKind kind, Algorithm algorithm,
                             std::int64_t elements, const SegmentLengths& lengths = {100, 1, 100}) {
  const auto groups = CollectiveGroups::all(slice, cores);
  return GroupSchedule(lay_out(groups.groups()[0], slice, cores), kind, algorithm, elements, lengths);
}

std::vector<std::string> names(const GroupSchedule& schedule, int stripe) {
  std::vector<std::string> result;
  for (const Phase& phase : schedule.phases(stripe)) result.push_back(phase.name);
  return result;
}

TEST(GroupSchedule, TwoColoursTakeTheDimensionsInOppositeOrders) {
  const auto schedule =
      group_schedule(noc::Topology({8, 4}, {false, false}), 2, CollectiveKind::all_reduce, Algorithm::two_colour, 64);
  EXPECT_EQ(names(schedule, 0),
            (std::vector<std::string>{"reduce-scatter y", "reduce-scatter x", "all-gather x", "all-gather y"}));
  EXPECT_EQ(names(schedule, 1),
            (std::vector<std::string>{"reduce-scatter x", "reduce-scatter y", "all-gather y", "all-gather x"}));
}

TEST(GroupSchedule, RotatedOrdersAreInAnotherDimensionEachAtEveryStage) {
  const auto schedule = group_schedule(noc::Topology({4, 4, 4}, {true, true, true}), 2, CollectiveKind::reduce_scatter,
                                       Algorithm::rotated, 64);
  EXPECT_EQ(schedule.stripes(), 6);  // three for each core of a chip
  EXPECT_EQ(names(schedule, 0), (std::vector<std::string>{"reduce-scatter z", "reduce-scatter y", "reduce-scatter x"}));
  EXPECT_EQ(names(schedule, 1), (std::vector<std::string>{"reduce-scatter y", "reduce-scatter x", "reduce-scatter z"}));
  EXPECT_EQ(names(schedule, 2), (std::vector<std::string>{"reduce-scatter x", "reduce-scatter z", "reduce-scatter y"}));
  EXPECT_EQ(names(schedule, 3), names(schedule, 0));
}

TEST(GroupSchedule, TheSecondDimensionHandlesTheShardOfTheFirst) {
  const auto schedule =
      group_schedule(noc::Topology({8, 4}, {false, false}), 2, CollectiveKind::all_reduce, Algorithm::y_then_x, 6400);
  EXPECT_EQ(schedule.phases(0)[0].chunk, 800);  // half of the payload over 4
  EXPECT_EQ(schedule.phases(0)[1].chunk, 100);  // and that over 8
  EXPECT_EQ(schedule.shard(), 100);
}

TEST(GroupSchedule, ReduceScatterAndAllGatherAreTheHalvesOfAnAllReduce) {
  const noc::Topology slice({8, 4}, {false, true});
  EXPECT_EQ(names(group_schedule(slice, 2, CollectiveKind::reduce_scatter, Algorithm::y_then_x, 64), 0),
            (std::vector<std::string>{"reduce-scatter y", "reduce-scatter x"}));
  EXPECT_EQ(names(group_schedule(slice, 2, CollectiveKind::all_gather, Algorithm::y_then_x, 64), 0),
            (std::vector<std::string>{"all-gather x", "all-gather y"}));
}

TEST(GroupSchedule, RingsRunWhereADimensionIsClosedAndLinesWhereItIsOpen) {
  const auto schedule =
      group_schedule(noc::Topology({8, 4}, {false, true}), 1, CollectiveKind::all_reduce, Algorithm::y_then_x, 6400);
  EXPECT_EQ(schedule.phases(0)[0].flow, Flow::ring);
  EXPECT_EQ(schedule.phases(0)[1].flow, Flow::line);
}

TEST(GroupSchedule, ADimensionOfOneChipHasNoStage) {
  EXPECT_EQ(names(group_schedule(noc::Topology({1, 4}, {false, true}), 2, CollectiveKind::all_reduce,
                                 Algorithm::two_colour, 64),
                  1),
            (std::vector<std::string>{"reduce-scatter y", "all-gather y"}));
  EXPECT_TRUE(group_schedule(noc::Topology({1, 1}, {false, false}), 2, CollectiveKind::all_reduce, Algorithm::ring, 64)
                  .phases(0)
                  .empty());
}

TEST(GroupSchedule, ALineStartsWithTheFarthestChunk) {
  const auto schedule = group_schedule(noc::Topology({5}, {false}), 1, CollectiveKind::all_reduce, Algorithm::line, 50);
  std::vector<std::int32_t> chunks;
  schedule.for_each_origin(0, 0, {0}, [&](const Segment& segment) { chunks.push_back(segment.distance); });
  EXPECT_EQ(chunks, (std::vector<std::int32_t>{4, 3, 2, 1}));
  int inner = 0;
  schedule.for_each_origin(0, 0, {2}, [&](const Segment&) { ++inner; });
  EXPECT_EQ(inner, 0);
}

TEST(GroupSchedule, ABundleOfAReduceScatterLosesAChunkAtEveryOwnerItPasses) {
  // Chunks of 10 elements, messages of at least 25: three chunks a bundle, of nine.
  const auto schedule = group_schedule(noc::Topology({9}, {false}), 1, CollectiveKind::reduce_scatter, Algorithm::line,
                                       90, {.link = 100, .least = 25, .most = 100});
  const Segment up{.direction = +1, .distance = 1};  // chunks 3, 4 and 5 on their way up
  EXPECT_EQ(schedule.size(up, 2), 30);
  EXPECT_EQ(schedule.size(up, 3), 30);
  EXPECT_EQ(schedule.size(up, 4), 20);
  EXPECT_EQ(schedule.size(up, 5), 10);
  EXPECT_TRUE(schedule.onward(up, {4}));
  EXPECT_FALSE(schedule.onward(up, {5}));
}

TEST(GroupSchedule, AMessageOfAnExchangeLosesAChunkAtEveryPosition) {
  const auto line = group_schedule(noc::Topology({5}, {false}), 1, CollectiveKind::all_to_all, Algorithm::y_then_x, 50,
                                   {.link = 1000, .least = 1, .most = 1000});
  EXPECT_EQ(names(line, 0), (std::vector<std::string>{"exchange x"}));
  const Segment up{.direction = +1, .distance = 1};  // started at position 1
  EXPECT_EQ(line.size(up, 2), 30);
  EXPECT_EQ(line.size(up, 3), 20);
  EXPECT_EQ(line.onward(up, {3}), up);
  EXPECT_EQ(line.size(up, 4), 10);
  EXPECT_FALSE(line.onward(up, {4}));
  // Around a ring of four each way: a chunk, and half of that for the opposite position.
  const auto ring = group_schedule(noc::Topology({4}, {true}), 1, CollectiveKind::all_to_all, Algorithm::y_then_x, 40,
                                   {.link = 1000, .least = 1, .most = 1000});
  for (int direction : {+1, -1}) {
    EXPECT_EQ(ring.size({.direction = direction, .distance = 1}, 0), 15);
    EXPECT_EQ(ring.size({.direction = direction, .distance = 2}, 0), 5);
  }
}

TEST(GroupSchedule, PaddingIsLessThanOneElementPerShard) {
  const auto schedule = group_schedule(noc::Topology({8, 4}, {false, false}), 2, CollectiveKind::all_reduce,
                                       Algorithm::two_colour, 25553192);
  EXPECT_GE(schedule.padded_elements(), 25553192);
  EXPECT_LT(schedule.padded_elements(), 25553192 + 64);
}

RC_GTEST_PROP(MessageTag, SurvivesTheTagOfAMessage, ()) {
  const MessageTag tag{{.stripe = *rc::gen::inRange(0, 16),
                        .phase = *rc::gen::inRange(0, 12),
                        .direction = *rc::gen::element(1, -1),
                        .distance = *rc::gen::inRange(0, 1 << 20),
                        .number = *rc::gen::inRange(0, 1 << 20)},
                       *rc::gen::inRange(0, 16),
                       *rc::gen::inRange(0, 16)};
  RC_ASSERT(unpack(pack(tag)) == tag);
}

RC_GTEST_PROP(GroupSchedule, TheShardsOfAllPlacesPartitionThePayload, ()) {
  const noc::Topology slice({*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6)},
                            {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()});
  const int cores = *rc::gen::inRange(1, 4);
  const auto layout = lay_out(CollectiveGroups::all(slice, cores).groups()[0], slice, cores);
  const GroupSchedule schedule(layout, CollectiveKind::all_reduce,
                               *rc::gen::element(Algorithm::y_then_x, Algorithm::two_colour), *rc::gen::inRange(1, 500),
                               {7, 2, 9});
  std::vector<int> owners(std::size_t(schedule.padded_elements()), 0);
  for (std::int32_t index = 0; index < layout.positions(); ++index) {
    for (int stripe = 0; stripe < schedule.stripes(); ++stripe) {
      const ElementRange range = schedule.shard_range(stripe, layout.position(index));
      for (std::int64_t i = 0; i < range.count; ++i) ++owners[std::size_t(range.begin + i)];
    }
  }
  for (int count : owners) RC_ASSERT(count == 1);
}

}  // namespace
}  // namespace podsim::sw::collectives
