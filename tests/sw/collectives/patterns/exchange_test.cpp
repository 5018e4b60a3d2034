// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/exchange.h"

#include <gtest/gtest.h>

#include "tests/sw/collectives/patterns/phase_contents.h"

namespace podsim::sw::collectives::patterns {
namespace {

template <class Visit>
void for_each_exchange(Visit visit) {
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    for (std::int64_t part : chunk_sizes) {
      for (std::int32_t parts : {1, 2}) {
        for (std::int64_t link : {10, 100000}) {
          SCOPED_TRACE(testing::Message() << n << " positions, " << parts << " parts of " << part << ", link " << link);
          visit(n, part * parts, parts, SegmentLengths{.link = link, .most = 1000});
        }
      }
    }
  }
}

/// Every position ends with its chunk from every other position, each element once; messages get shorter by the
/// chunks that they leave.
PhaseWalk expect_exchanged(const Exchange& pattern) {
  const auto positions = std::size_t(pattern.positions()), elements = std::size_t(pattern.payload());
  std::vector<std::vector<int>> copies(positions, std::vector<int>(elements, 0));
  PhaseWalk result = walk(pattern, [&](const Message& message) {
    const auto& [segment, sender, receiver, hop] = message;
    EXPECT_EQ(pattern.source(segment, receiver),
              ((receiver - segment.direction * hop) % pattern.positions() + pattern.positions()) % pattern.positions());
    std::int64_t ahead = 0;
    for (std::int32_t steps = 0; steps < pattern.chunks(segment, receiver); ++steps) {
      ahead += pattern.slice(segment, steps).count * pattern.parts();
    }
    EXPECT_EQ(pattern.elements(segment, receiver), ahead);
    const ElementRange kept = pattern.range(segment, receiver);
    EXPECT_EQ(kept.count, pattern.kept(segment, receiver));
    EXPECT_EQ(pattern.handed_over(segment), pattern.parts() > 1 ? kept.count : 0);
    if (const auto onward = pattern.onward(segment, receiver)) {
      EXPECT_EQ(pattern.elements(*onward, pattern.next(*onward, receiver)), ahead - kept.count * pattern.parts());
    } else {
      EXPECT_EQ(ahead, kept.count * pattern.parts());
    }
    for (std::int64_t i = kept.begin; i < kept.begin + kept.count; ++i) {
      ++copies[std::size_t(receiver)][std::size_t(i)];
    }
  });
  for (std::int32_t position = 0; position < pattern.positions(); ++position) {
    for (std::int64_t element = 0; element < pattern.payload(); ++element) {
      const bool arrives = !owns(pattern, position, element) && element % pattern.chunk() < pattern.part();
      EXPECT_EQ(copies[std::size_t(position)][std::size_t(element)], arrives ? 1 : 0);
    }
  }
  return result;
}

// A chunk for distance d crosses d links, and all positions send the same.
TEST(RingExchange, LoadsEveryLinkWithTheSumOfDistances) {
  for_each_exchange([](std::int64_t n, std::int64_t chunk, std::int32_t parts, const SegmentLengths& lengths) {
    const RingExchange pattern(closed(std::int32_t(n)), chunk, parts, lengths);
    const PhaseWalk walk = expect_exchanged(pattern);
    expect_completions(pattern, walk);
    EXPECT_EQ(walk.steps, n / 2);
    for (const auto& [up, down] : walk.sent) {
      if (n % 2 == 1) {
        EXPECT_EQ(up, (n * n - 1) / 8 * chunk);
        EXPECT_EQ(down, up);
      } else {
        EXPECT_EQ(4 * (up + down), n * n * chunk) << "n^2/8 chunks in each direction";
        EXPECT_EQ(up - down, n / 2 * (pattern.part() % 2) * parts) << "the longer halves, over n/2 links";
      }
    }
  });
}

TEST(LineExchange, LoadsALinkWithAllPairsThatItSeparates) {
  for_each_exchange([](std::int64_t n, std::int64_t chunk, std::int32_t parts, const SegmentLengths& lengths) {
    const LineExchange pattern(open(std::int32_t(n)), chunk, parts, lengths);
    const PhaseWalk walk = expect_exchanged(pattern);
    expect_completions(pattern, walk);
    EXPECT_EQ(walk.steps, n - 1);
    std::int64_t most = 0;
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      EXPECT_EQ(walk.sent[std::size_t(i)][0], (i + 1) * (n - 1 - i) * chunk);
      EXPECT_EQ(walk.sent[std::size_t(i) + 1][1], (i + 1) * (n - 1 - i) * chunk);
      most = std::max(most, walk.sent[std::size_t(i)][0]);
    }
    EXPECT_EQ(most, n * n / 4 * chunk);
    EXPECT_EQ(walk.sent.back()[0], 0);
    EXPECT_EQ(walk.sent.front()[1], 0);
  });
}

TEST(Exchange, AMessageLosesAChunkAtEveryPosition) {
  const SegmentLengths lengths{.link = 1000, .most = 1000};
  const LineExchange line(open(5), 10, 1, lengths);
  const Segment up{.direction = +1, .distance = 1};  // started at position 1
  EXPECT_EQ(line.elements(up, 2), 30);
  EXPECT_EQ(line.elements(up, 3), 20);
  EXPECT_EQ(line.onward(up, 3), up);
  EXPECT_EQ(line.elements(up, 4), 10);
  EXPECT_FALSE(line.onward(up, 4));
  // Around a ring of four, in each direction: a chunk, and half of that for the opposite position.
  const RingExchange ring(closed(4), 10, 1, lengths);
  for (int direction : {+1, -1}) {
    EXPECT_EQ(ring.elements({.direction = direction, .distance = 1}, 0), 15);
    EXPECT_EQ(ring.elements({.direction = direction, .distance = 2}, 0), 5);
  }
}

TEST(Exchange, TakesTheTimeOfTheBusiestLinkInShortSegments) {
  const SegmentLengths lengths{.link = 1, .most = 1};
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    const LineExchange line(open(n), 5000, 1, lengths);
    EXPECT_NEAR(line.modelled_time(without_latency(1e6), 1).si() / (n * n / 4 * 5000 / 1e6), 1, 1e-3) << n;
    const RingExchange ring(closed(n), 5000, 1, lengths);
    const double form = std::max(n * n / 8.0, 1.0) * 5000 / 1e6;  // a whole chunk at least
    EXPECT_NEAR(ring.modelled_time(without_latency(1e6), 1).si() / form, 1, 1e-3) << n;
  }
}

}  // namespace
}  // namespace podsim::sw::collectives::patterns
