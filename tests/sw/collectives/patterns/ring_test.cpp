// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/ring.h"

#include <gtest/gtest.h>

#include "tests/sw/collectives/patterns/phase_contents.h"

namespace podsim::sw::collectives::patterns {
namespace {

template <class Visit>
void for_each_ring(Visit visit) {
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    for (std::int64_t chunk : chunk_sizes) {
      for (int directions : {1, 2}) {
        for (std::int64_t most : {std::int64_t{7}, std::int64_t{1000}}) {
          SCOPED_TRACE(testing::Message() << n << " positions, chunks of " << chunk << ", " << directions
                                          << " directions, segments of " << most);
          visit(n, chunk, RingSplit{.directions = directions, .two_segments = most > 7}, most);
        }
      }
    }
  }
}

// The textbook's ring: n - 1 steps, and (n - 1)/n of the payload over each link, half of that in each direction.
void expect_ring_traffic(const Pattern& pattern, const PhaseWalk& walk, const RingSplit& split) {
  const std::int64_t n = pattern.positions(), payload = pattern.payload();
  EXPECT_EQ(payload, n * pattern.chunk());
  EXPECT_EQ(walk.steps, n - 1);
  for (std::size_t position = 0; position < walk.sent.size(); ++position) {
    const auto [up, down] = walk.sent[position];
    EXPECT_EQ(n * (up + down), (n - 1) * payload);
    EXPECT_EQ(walk.messages[position][0], (n - 1) * pattern.segments(+1));
    EXPECT_EQ(walk.messages[position][1], (n - 1) * pattern.segments(-1));
    if (split.directions == 1) {
      EXPECT_EQ(down, 0);
    } else {
      EXPECT_EQ(up - down, pattern.chunk() % 2 * (n - 1));
    }
  }
}

TEST(RingReduceScatter, EndsWithTheChunksOfAllAtTheirOwners) {
  for_each_ring([](std::int32_t n, std::int64_t chunk, const RingSplit& split, std::int64_t most) {
    const RingReduceScatter pattern(closed(n), chunk, split, most);
    const PhaseWalk walk = expect_sums(pattern);
    expect_ring_traffic(pattern, walk, split);
    expect_completions(pattern, walk);
  });
}

TEST(RingAllGather, EndsWithAllChunksEverywhere) {
  for_each_ring([](std::int32_t n, std::int64_t chunk, const RingSplit& split, std::int64_t most) {
    const RingAllGather pattern(closed(n), chunk, split, most);
    const PhaseWalk walk = expect_all_gathered(pattern);
    expect_ring_traffic(pattern, walk, split);
    expect_completions(pattern, walk);
  });
}

TEST(Ring, NumbersItsStepsFromOne) {
  const RingReduceScatter scatter(closed(5), 40, {}, 1000);
  const RingAllGather gather(closed(5), 40, {}, 1000);
  walk(scatter, [&](const Message& message) { EXPECT_EQ(scatter.step(message.segment), message.hop); });
  walk(gather, [&](const Message& message) { EXPECT_EQ(gather.step(message.segment), message.hop); });
}

TEST(Ring, OfOneDirectionSendsWholeChunks) {
  const RingAllGather pattern(closed(4), 1000, {.directions = 1}, 10);
  EXPECT_EQ(pattern.segments(+1), 1);
  EXPECT_EQ(pattern.segments(-1), 0);
  EXPECT_EQ(pattern.shape(), "one-way ring");
}

TEST(Ring, TakesTheTimeOfItsBytesWithoutLatency) {
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    const LinkCosts costs = without_latency(1e6);
    const RingAllGather both(closed(n), 600, {}, 1000), one(closed(n), 600, {.directions = 1}, 1000);
    EXPECT_DOUBLE_EQ(both.modelled_time(costs, 1).si(), (n - 1) * 300 / 1e6);
    EXPECT_DOUBLE_EQ(one.modelled_time(costs, 1).si(), (n - 1) * 600 / 1e6);
    // On an open dimension each link carries both directions of the ring.
    const RingAllGather back(open(n), 600, {}, 1000);
    EXPECT_DOUBLE_EQ(back.modelled_time(costs, 1).si(), (n - 1) * 600 / 1e6);
  }
}

TEST(Ring, TakesALatencyPerStepOfAShortChunk) {
  LinkCosts costs = without_latency(1e12);
  costs.dma_latency = base::Duration(1e-6);
  const RingAllGather gather(closed(8), 2, {}, 1000);
  EXPECT_NEAR(gather.modelled_time(costs, 1).si(), 7e-6, 1e-10);
  // A partial sum waits for the receiver's contribution: one element of this direction.
  costs.hbm_rate = base::Bandwidth(1e6);
  const RingReduceScatter scatter(closed(8), 2, {}, 1000);
  EXPECT_NEAR(scatter.modelled_time(costs, 1).si(), 7 * (1e-6 + 1e-6), 1e-10);
}

}  // namespace
}  // namespace podsim::sw::collectives::patterns
