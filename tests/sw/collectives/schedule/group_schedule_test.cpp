// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/group_schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::sw::collectives::schedule {
namespace {

using noc::Topology;

GroupSchedule group_schedule(const noc::Topology& slice, int cores, CollectiveKind kind, Algorithm algorithm,
                             std::int64_t elements, const SegmentLengths& lengths = {100, 100}) {
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
  EXPECT_EQ(schedule.phases(0)[0].pattern->chunk(), 800);  // half of the payload over 4
  EXPECT_EQ(schedule.phases(0)[1].pattern->chunk(), 100);  // and that over 8
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
  EXPECT_EQ(schedule.phases(0)[0].pattern->shape(), "ring");
  EXPECT_EQ(schedule.phases(0)[1].pattern->shape(), "line");
  EXPECT_EQ(schedule.shapes(), "y ring, x line");
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

TEST(GroupSchedule, AnAllToAllExchangesAlongEveryDimensionOrSendsDirectly) {
  const noc::Topology slice({8, 4}, {false, true});
  const auto exchanges = group_schedule(slice, 2, CollectiveKind::all_to_all, Algorithm::y_then_x, 640);
  EXPECT_EQ(names(exchanges, 0), (std::vector<std::string>{"exchange y", "exchange x"}));
  EXPECT_EQ(exchanges.exchange(0, 0).parts(), 1);
  EXPECT_EQ(exchanges.exchange(0, 1).parts(), 2);  // for the cores of a chip
  const auto direct = group_schedule(slice, 2, CollectiveKind::all_to_all, Algorithm::direct, 640);
  EXPECT_EQ(names(direct, 0), (std::vector<std::string>{"all-to-all"}));
  EXPECT_EQ(direct.shapes(), "direct sends");
}

TEST(GroupSchedule, PaddingIsLessThanOneElementPerShard) {
  const auto schedule = group_schedule(noc::Topology({8, 4}, {false, false}), 2, CollectiveKind::all_reduce,
                                       Algorithm::two_colour, 25553192);
  EXPECT_GE(schedule.padded_elements(), 25553192);
  EXPECT_LT(schedule.padded_elements(), 25553192 + 64);
}

RC_GTEST_PROP(GroupSchedule, TheShardsOfAllPlacesPartitionThePayload, ()) {
  const noc::Topology slice({*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6)},
                            {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()});
  const int cores = *rc::gen::inRange(1, 4);
  const auto layout = lay_out(CollectiveGroups::all(slice, cores).groups()[0], slice, cores);
  const GroupSchedule schedule(layout, CollectiveKind::all_reduce,
                               *rc::gen::element(Algorithm::y_then_x, Algorithm::two_colour), *rc::gen::inRange(1, 500),
                               {7, 9});
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
}  // namespace podsim::sw::collectives::schedule
