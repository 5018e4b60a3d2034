// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repetition/repeated_segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "tests/sw/runtime/synthetic_program.h"

namespace podsim::sw::runtime::repetition {
namespace {

TEST(RepeatedSegments, LayersAreFoundBehindOtherItems) {
  const auto segments = repeated_segments(
      testing::program_of("xyz" + testing::repeated("abAc", 7) + "x" + testing::repeated("abAc", 5) + "q"));
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0], (RepeatedSegment{.first = 3, .period = 4, .trips = 7, .content = 0}));
  EXPECT_EQ(segments[1], (RepeatedSegment{.first = 32, .period = 4, .trips = 5, .content = 0}));
}

TEST(RepeatedSegments, LayersThatBeginElsewhereBeginAtTheSameItemATripLater) {
  const auto segments =
      repeated_segments(testing::program_of(testing::repeated("abAc", 9) + "x" + "Ac" + testing::repeated("abAc", 6)));
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0], (RepeatedSegment{.first = 0, .period = 4, .trips = 9, .content = 0}));
  EXPECT_EQ(segments[1], (RepeatedSegment{.first = 39, .period = 4, .trips = 5, .content = 0}));
}

TEST(RepeatedSegments, FewTripsAndTripsWithoutCollectivesAreNone) {
  EXPECT_TRUE(repeated_segments(testing::program_of(testing::repeated("abA", 4))).empty());
  EXPECT_TRUE(repeated_segments(testing::program_of(testing::repeated("abc", 50))).empty());
  EXPECT_TRUE(repeated_segments(testing::program_of("")).empty());
}

TEST(RepeatedSegments, ItemsOfLoopsAndAsynchronousItemsAreInNone) {
  testing::ProgramMaker in_loop, asynchronous;
  const int op = in_loop.define(testing::tile_op("op", 1, 1000, 0, 8, 1000));
  const int sum = in_loop.define_all_reduce(1000);
  asynchronous.define(testing::tile_op("op", 1, 1000, 0, 8, 1000));
  asynchronous.define_all_reduce(1000);
  for (int i = 0; i < 10; ++i) {
    in_loop.op(op).collective(sum);
    asynchronous.collective(sum).asynchronous().op(op).done();
  }
  EXPECT_EQ(repeated_segments(in_loop.program()).size(), 1U);
  EXPECT_TRUE(repeated_segments(in_loop.loop_from(0, 3).program()).empty());
  EXPECT_TRUE(repeated_segments(asynchronous.program()).empty());
}

// The oracle tries every first item, period and number of trips.
TEST(RepeatedSegments, TheFirstOneTakenSavesMost) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::string letters;
    while (letters.size() < 40) {
      std::string layer;
      for (std::uint32_t i = 0; i <= random() % 4; ++i) layer += "abAB"[random() % 4];
      letters += testing::repeated(layer, int(random() % 8));
    }
    const int items = int(letters.size());
    int most = 0;
    for (int first = 0; first < items; ++first) {
      for (int period = 1; first + 5 * period <= items; ++period) {
        if (letters.substr(std::size_t(first), std::size_t(period)).find_first_of("AB") == std::string::npos) continue;
        int trips = 1;
        while (first + (trips + 1) * period <= items &&
               letters.compare(std::size_t(first + trips * period), std::size_t(period), letters, std::size_t(first),
                               std::size_t(period)) == 0) {
          ++trips;
        }
        if (trips >= 5) most = std::max(most, (trips - 4) * period);
      }
    }
    int found = 0, behind = 0;
    for (const RepeatedSegment& segment : repeated_segments(testing::program_of(letters))) {
      found = std::max(found, (segment.trips - 4) * segment.period);
      EXPECT_GE(segment.first, behind) << letters;
      behind = segment.end();
      for (int i = segment.first; i + segment.period < segment.end(); ++i) {
        EXPECT_EQ(letters[std::size_t(i)], letters[std::size_t(i + segment.period)]) << letters;
      }
    }
    EXPECT_EQ(found, most) << letters;
  }
}

}  // namespace
}  // namespace podsim::sw::runtime::repetition
