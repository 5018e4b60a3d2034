// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/broadcast.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/sw/collectives/patterns/phase_contents.h"

namespace podsim::sw::collectives::patterns {
namespace {

// Every position but the root receives every element once, over n - 1 links.
PhaseWalk expect_tree(const Pattern& pattern, std::int32_t root) {
  const auto positions = std::size_t(pattern.positions()), elements = std::size_t(pattern.payload());
  std::vector<std::vector<int>> copies(positions, std::vector<int>(elements, 0));
  PhaseWalk result = walk(pattern, {root}, [&](const Message& message) {
    const ElementRange range = pattern.range(message.segment, message.receiver);
    for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
      ++copies[std::size_t(message.receiver)][std::size_t(i)];
    }
  });
  std::int64_t links = 0;
  for (std::int32_t position = 0; position < pattern.positions(); ++position) {
    for (int count : copies[std::size_t(position)]) EXPECT_EQ(count, position == root ? 0 : 1);
    EXPECT_EQ(result.ended[std::size_t(position)], position == root ? 0 : pattern.completions(position));
    for (std::int64_t sent : result.sent[std::size_t(position)]) {
      EXPECT_TRUE(sent == 0 || sent == pattern.payload());
      links += sent / pattern.payload();
    }
  }
  EXPECT_EQ(links, pattern.positions() - 1);
  return result;
}

template <class Visit>
void for_each_root(Visit visit) {
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    for (std::int64_t payload : chunk_sizes) {
      const std::int64_t most = base::divide_round_up(payload, 5);
      for (std::int32_t root : {0, 1, n / 2, n - 1}) {
        SCOPED_TRACE(testing::Message() << n << " positions, payload of " << payload << ", root " << root);
        visit(n, payload, most, root);
      }
    }
  }
}

TEST(RingBroadcast, ReachesAllInHalfTheRing) {
  for_each_root([](std::int32_t n, std::int64_t payload, std::int64_t most, std::int32_t root) {
    EXPECT_EQ(expect_tree(RingBroadcast(closed(n), payload, most, 2), root).steps, n / 2);
  });
}

TEST(RingBroadcast, OfOneDirectionReachesAllInNMinusOneSteps) {
  for_each_root([](std::int32_t n, std::int64_t payload, std::int64_t most, std::int32_t root) {
    const PhaseWalk walk = expect_tree(RingBroadcast(closed(n), payload, most, 1), root);
    EXPECT_EQ(walk.steps, n - 1);
    for (const auto& sent : walk.sent) EXPECT_EQ(sent[1], 0);
  });
}

TEST(LineBroadcast, ReachesTheFartherEndLast) {
  for_each_root([](std::int32_t n, std::int64_t payload, std::int64_t most, std::int32_t root) {
    EXPECT_EQ(expect_tree(LineBroadcast(open(n), payload, most), root).steps, std::max(root, n - 1 - root));
  });
}

TEST(Broadcast, TakesTheTimeOfAPipeline) {
  LinkCosts costs = without_latency(1e6);
  costs.dma_latency = base::Duration(1e-3);
  // Ten messages of 60 elements: the pipeline fills in `steps` messages and latencies.
  const double message = 60e-6, latency = 1e-3, payload = 600e-6;
  EXPECT_DOUBLE_EQ(RingBroadcast(closed(9), 600, 60, 2).modelled_time(costs, 1).si(),
                   4 * (message + latency) + payload);
  EXPECT_DOUBLE_EQ(RingBroadcast(closed(9), 600, 60, 1).modelled_time(costs, 1).si(),
                   8 * (message + latency) + payload);
  EXPECT_DOUBLE_EQ(LineBroadcast(open(9), 600, 60).modelled_time(costs, 1).si(), 8 * (message + latency) + payload);
}

}  // namespace
}  // namespace podsim::sw::collectives::patterns
