// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/direct.h"

#include <gtest/gtest.h>

#include <set>

#include "sw/collectives/schedule/collective_schedule.h"
#include "tests/sw/collectives/patterns/phase_contents.h"

namespace podsim::sw::collectives::patterns {
namespace {

TEST(Direct, SendsABlockToEveryOtherMemberInOneStep) {
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    for (std::int64_t block : chunk_sizes) {
      const Direct pattern({closed(n)}, 1, block, 7);
      std::vector<std::set<std::int32_t>> peers;
      peers.resize(std::size_t(n));
      const PhaseWalk all = walk(pattern, [&](const Message& message) {
        peers[std::size_t(message.sender)].insert(message.segment.distance);
      });
      EXPECT_EQ(all.steps, 1);
      for (std::int32_t member = 0; member < n; ++member) {
        EXPECT_EQ(peers[std::size_t(member)].size(), std::size_t(n) - 1);
        EXPECT_EQ(*peers[std::size_t(member)].begin(), 1);
        EXPECT_EQ(*peers[std::size_t(member)].rbegin(), n - 1);
        EXPECT_EQ(all.sent[std::size_t(member)][0], (n - 1) * block);
        EXPECT_EQ(all.messages[std::size_t(member)][0], pattern.completions(member));
      }
    }
  }
}

TEST(Direct, CountsTheCoresOfAllChips) {
  const Direct pattern({closed(4), open(3)}, 2, 5, 100);
  EXPECT_EQ(pattern.positions(), 24);
  EXPECT_EQ(pattern.origins(7), 23);
}

TEST(Direct, SegmentsPartitionABlock) {
  for (std::int64_t block : chunk_sizes) {
    const Direct pattern({closed(3)}, 1, block, 7);
    std::int64_t end = 0;
    for (std::int32_t number = 0; number < pattern.segments(+1); ++number) {
      const ElementRange range = pattern.range({.distance = 1, .number = number}, 0);
      EXPECT_EQ(range.begin, end);
      EXPECT_LE(range.count, 7);
      end = range.begin + range.count;
    }
    EXPECT_EQ(end, block);
  }
}

// On a line the middle link carries the blocks of half of the members for the other half; around a ring a quarter of
// all pairs cross it, in two directions.
TEST(Direct, LoadsTheMiddleLinkWithTheFormOfItsHeader) {
  constexpr std::int64_t block = 10;
  for (std::int32_t n = 2; n <= max_positions; ++n) {
    for (bool wraps : {false, true}) {
      const noc::Topology slice({n}, {wraps});
      const schedule::CollectiveRequest request{CollectiveKind::all_to_all, hlo::ElementType::bf16, block * n};
      const schedule::CollectiveSchedule schedule(slice, 1, CollectiveGroups::all(slice, 1), request, Algorithm::direct,
                                                  {.link = 1, .most = 1000});
      const schedule::GroupSchedule& program = schedule.group_program(0);
      std::vector<std::int64_t> loads(std::size_t(slice.link_ids()), 0);
      for (int stripe = 0; stripe < program.stripes(); ++stripe) {
        const Pattern& pattern = *program.phases(stripe)[0].pattern;
        for (std::int32_t from = 0; from < n; ++from) {
          for (std::int32_t i = 0; i < pattern.origins(from); ++i) {
            Segment segment = pattern.origin(from, i);
            segment.stripe = stripe;
            for (const noc::Link& link : slice.route(from, schedule.route(from, segment).hops)) {
              loads[std::size_t(link.id)] += pattern.elements(segment, 0);
            }
          }
        }
      }
      const bool ring = slice.wraps(0);
      const std::int64_t busiest = *std::ranges::max_element(loads);
      EXPECT_EQ(busiest, !ring        ? n * n / 4 * block
                         : n % 2 == 1 ? (n * n - 1) / 8 * block
                                      : n * n * block / 8)
          << n << (ring ? " in a ring" : " in a line");
    }
  }
}

TEST(Permute, MembersSendAndReceiveByTheirRole) {
  const Permute pattern(100, {.link = 30, .most = 1000});  // of 30, 30, 30 and 10
  EXPECT_EQ(pattern.segments(+1), 4);
  EXPECT_EQ(pattern.origins(0), 0);
  EXPECT_EQ(pattern.completions(0), 0);
  EXPECT_EQ(pattern.origins(Permute::sends), 1);
  EXPECT_EQ(pattern.completions(Permute::sends), 0);
  EXPECT_EQ(pattern.origins(Permute::receives), 0);
  EXPECT_EQ(pattern.completions(Permute::receives), 4);
  EXPECT_EQ(pattern.origins(Permute::sends | Permute::receives), 1);
  EXPECT_EQ(pattern.completions(Permute::sends | Permute::receives), 4);
}

}  // namespace
}  // namespace podsim::sw::collectives::patterns
