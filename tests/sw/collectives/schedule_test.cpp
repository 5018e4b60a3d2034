// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::sw {
namespace {

using noc::Topology;

TEST(AllReduceSchedule, TheTwoColoursTakeTheDimensionsInOppositeOrders) {
  AllReduceSchedule schedule(Topology({8, 4}, {false, false}), 2, 64, ElementType::bf16, 100);
  std::vector<std::string> even, odd;
  for (const Stage& stage : schedule.stages(0)) even.push_back(stage.name());
  for (const Stage& stage : schedule.stages(1)) odd.push_back(stage.name());
  EXPECT_EQ(even, (std::vector<std::string>{"reduce-scatter y", "reduce-scatter x", "all-gather x", "all-gather y"}));
  EXPECT_EQ(odd, (std::vector<std::string>{"reduce-scatter x", "reduce-scatter y", "all-gather y", "all-gather x"}));
}

TEST(AllReduceSchedule, TheSecondDimensionHandlesTheShardOfTheFirst) {
  AllReduceSchedule schedule(Topology({8, 4}, {false, false}), 2, 6400, ElementType::bf16, 100);
  EXPECT_EQ(schedule.stages(0)[0].chunk, 800);  // half of the payload over 4
  EXPECT_EQ(schedule.stages(0)[1].chunk, 100);  // and that over 8
  EXPECT_EQ(schedule.shard(), 100);
}

TEST(AllReduceSchedule, ADimensionOfOneChipHasNoStage) {
  EXPECT_EQ(AllReduceSchedule(Topology({1, 4}, {false, true}), 2, 64, ElementType::f32, 8).stages(1).size(), 2u);
  EXPECT_TRUE(AllReduceSchedule(Topology({1, 1}, {false, false}), 2, 64, ElementType::f32, 8).stages(0).empty());
}

TEST(AllReduceSchedule, ASingleCoreRunsTwoColoursWhereThereAreTwoKindsOfLinks) {
  EXPECT_EQ(AllReduceSchedule(Topology({4, 4}, {false, false}), 1, 64, ElementType::f32, 8).colours(), 2);
  EXPECT_EQ(AllReduceSchedule(Topology({4, 1}, {false, false}), 1, 64, ElementType::f32, 8).colours(), 1);
}

TEST(AllReduceSchedule, ALineStartsWithTheFarthestChunk) {
  AllReduceSchedule schedule(Topology({5}, {false}), 1, 50, ElementType::f32, 100);
  std::vector<std::int32_t> distances;
  schedule.for_each_origin(0, 0, 0, [&](const Token& token) { distances.push_back(token.distance); });
  EXPECT_EQ(distances, (std::vector<std::int32_t>{3, 2, 1, 0}));
  int inner = 0;
  schedule.for_each_origin(0, 0, 2, [&](const Token&) { ++inner; });
  EXPECT_EQ(inner, 0);
}

TEST(AllReduceSchedule, PaddingIsLessThanOneElementPerColourAndChip) {
  AllReduceSchedule schedule(Topology({8, 4}, {false, false}), 2, 25553192, ElementType::bf16, 100);
  EXPECT_GE(schedule.padded_elements(), schedule.elements());
  EXPECT_LT(schedule.padded_elements(), schedule.elements() + 64);
}

RC_GTEST_PROP(Token, SurvivesTheTagOfAMessage, ()) {
  Token token{.colour = *rc::gen::inRange(0, 16),
              .stage = *rc::gen::inRange(0, 12),
              .direction = *rc::gen::element(1, -1),
              .distance = *rc::gen::inRange(0, 4096),
              .segment = *rc::gen::inRange(0, 1 << 30)};
  RC_ASSERT(unpack(pack(token)) == token);
}

RC_GTEST_PROP(AllReduceSchedule, TheShardsOfAllChipsPartitionThePayload, ()) {
  std::vector<std::int64_t> sizes{*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6)};
  std::vector<bool> wraps{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  AllReduceSchedule schedule(Topology(sizes, wraps), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 500),
                             ElementType::f32, 7);
  std::vector<int> owners(std::size_t(schedule.padded_elements()), 0);
  for (noc::NodeId chip = 0; chip < schedule.topology().nodes(); ++chip) {
    for (int colour = 0; colour < schedule.colours(); ++colour) {
      ElementRange range = schedule.shard_range(colour, schedule.topology().coordinates(chip));
      for (std::int64_t i = 0; i < range.count; ++i) ++owners[range.begin + i];
    }
  }
  for (int count : owners) RC_ASSERT(count == 1);
}

}  // namespace
}  // namespace podsim::sw
