// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/line.h"

#include <gtest/gtest.h>

#include "tests/sw/collectives/patterns/phase_contents.h"

namespace podsim::sw::collectives::patterns {
namespace {

template <class Visit>
void for_each_line(Visit visit) {
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    for (std::int64_t chunk : chunk_sizes) {
      for (std::int64_t most : {7, 1000}) {
        SCOPED_TRACE(testing::Message() << n << " positions, chunks of " << chunk << ", messages of up to " << most);
        visit(n, chunk, SegmentLengths{.link = 1, .most = most});
      }
    }
  }
}

// One partial sum for each owner beyond a link crosses it, and the finished chunk of each owner before it.
void expect_line_traffic(const Pattern& pattern, const PhaseWalk& walk) {
  const std::int64_t n = pattern.positions(), chunk = pattern.chunk();
  EXPECT_EQ(pattern.payload(), n * chunk);
  EXPECT_EQ(walk.steps, n - 1);
  EXPECT_EQ(walk.sent.back()[0], 0);
  EXPECT_EQ(walk.sent.front()[1], 0);
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    const std::int64_t up = walk.sent[std::size_t(i)][0], down = walk.sent[std::size_t(i) + 1][1];
    EXPECT_EQ(up, (pattern.reduces() ? n - 1 - i : i + 1) * chunk) << "from " << i;
    EXPECT_EQ(down, (pattern.reduces() ? i + 1 : n - 1 - i) * chunk) << "to " << i;
  }
}

TEST(LineReduceScatter, EndsWithTheChunksOfAllAtTheirOwners) {
  for_each_line([](std::int32_t n, std::int64_t chunk, const SegmentLengths& lengths) {
    const LineReduceScatter pattern(open(n), chunk, lengths);
    const PhaseWalk walk = expect_sums(pattern);
    expect_line_traffic(pattern, walk);
    expect_completions(pattern, walk);
  });
}

TEST(LineAllGather, EndsWithAllChunksEverywhere) {
  for_each_line([](std::int32_t n, std::int64_t chunk, const SegmentLengths& lengths) {
    const LineAllGather pattern(open(n), chunk, lengths);
    const PhaseWalk walk = expect_all_gathered(pattern);
    expect_line_traffic(pattern, walk);
    expect_completions(pattern, walk);
  });
}

TEST(LineReduceScatter, StartsWithTheFarthestChunk) {
  const LineReduceScatter pattern(open(5), 10, {.link = 100, .most = 100});
  std::vector<std::int32_t> chunks;
  for (std::int32_t i = 0; i < pattern.origins(0); ++i) chunks.push_back(pattern.origin(0, i).distance);
  EXPECT_EQ(chunks, (std::vector<std::int32_t>{4, 3, 2, 1}));
  EXPECT_EQ(pattern.origins(2), 0);
}

TEST(Line, TakesTheTimeOfTheLinkAtAnEndWithoutLatency) {
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    const LineAllGather pattern(open(n), 600, {.link = 100, .most = 100});
    EXPECT_DOUBLE_EQ(pattern.modelled_time(without_latency(1e6), 1).si(),
                     double(walk(pattern).sent[std::size_t(n) - 2][0]) / 1e6);
    EXPECT_DOUBLE_EQ(pattern.modelled_time(without_latency(1e6), 3).si(), 3 * (n - 1) * 600 / 1e6);
  }
}

}  // namespace
}  // namespace podsim::sw::collectives::patterns
