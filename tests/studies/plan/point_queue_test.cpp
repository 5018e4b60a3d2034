// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/point_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

namespace podsim::studies::plan {
namespace {

TEST(PointQueue, KeepsAWorkerInItsGroup) {
  PointQueue queue({"a", "b", "a", "b", "a"});
  const auto first = queue.next(), other = queue.next();
  EXPECT_EQ(first->point, 0U);
  EXPECT_EQ(other->point, 1U) << "a second worker begins a group of its own";
  EXPECT_EQ(queue.next(first->group)->point, 2U);
  EXPECT_EQ(queue.next(other->group)->point, 3U);
  EXPECT_EQ(queue.next(other->group)->point, 4U) << "its own is empty: it helps";
  EXPECT_FALSE(queue.next(first->group));
  EXPECT_TRUE(queue.empty());
}

TEST(PointQueue, HelpsTheGroupWithMostLeft) {
  PointQueue queue({"a", "b", "b", "b", "a", "c"});
  const auto a = queue.next(), b = queue.next(), c = queue.next();
  EXPECT_EQ(c->point, 5U);
  EXPECT_EQ(queue.next(c->group)->group, b->group);
  EXPECT_EQ(queue.next(a->group)->group, a->group);
}

TEST(PointQueue, HandsOutAgainWhatIsPutBack) {
  PointQueue queue({"a", "a"});
  const auto first = queue.next();
  queue.put_back(*first);
  EXPECT_EQ(queue.next()->point, first->point);
  EXPECT_EQ(queue.next()->point, 1U);
}

TEST(PointQueue, HandsOutEveryPointOnce) {
  rc::check("whatever the groups and the workers", [] {
    const auto keys = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "c", "d"));
    const int workers = *rc::gen::inRange(1, 5);
    PointQueue queue(keys);
    std::vector<std::optional<std::size_t>> groups(static_cast<std::size_t>(workers));
    std::multiset<std::size_t> seen;
    while (!queue.empty()) {
      auto& group = groups[*rc::gen::inRange<std::size_t>(0, groups.size())];
      const auto next = queue.next(group);
      group = next->group;
      seen.insert(next->point);
    }
    RC_ASSERT(seen.size() == keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) RC_ASSERT(seen.count(i) == 1U);
  });
}

TEST(PointsOfPart, AreEveryPointOnceInNearlyEqualParts) {
  rc::check("whatever the groups and parts", [] {
    const auto keys =
        *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "c", "d", "e"));
    const auto parts = *rc::gen::inRange<std::size_t>(1, 9);
    std::multiset<std::size_t> seen;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<std::size_t> points = points_of_part(keys, part, parts);
      RC_ASSERT(std::ranges::is_sorted(points));
      seen.insert(points.begin(), points.end());
      if (parts > 1) RC_ASSERT(points.size() <= keys.size() / parts + 1);  // fewer groups than would stay together
    }
    RC_ASSERT(seen.size() == keys.size());
    RC_ASSERT(std::set<std::size_t>(seen.begin(), seen.end()).size() == keys.size());
  });
}

TEST(PointsOfPart, LeaveManyGroupsTogether) {
  std::vector<std::string> keys;
  for (int point = 0; point < 24; ++point) keys.push_back(std::to_string(point / 3));
  for (std::size_t part = 0; part < 2; ++part) {
    std::map<std::string, int> members;
    for (std::size_t point : points_of_part(keys, part, 2)) ++members[keys[point]];
    EXPECT_EQ(members.size(), 4U);
    for (const auto& [key, count] : members) EXPECT_EQ(count, 3) << key;
  }
}

TEST(ProgramKey, LeavesOutNetworkAndHost) {
  const std::vector<std::string> base = {"run", "resnet50", "--set", "hbm.channels=16", "--slice", "4x4"};
  auto with = [&](const std::string& assignment) {
    std::vector<std::string> words = base;
    words.insert(words.end(), {"--set", assignment});
    return program_key(words);
  };
  EXPECT_EQ(with("ici.hop_latency=1 us"), program_key(base));
  EXPECT_EQ(with("host.pcie_rate=1 GB/s"), program_key(base));
  EXPECT_NE(with("mxu.size=64"), program_key(base));
  EXPECT_NE(with("hbm.channels=32"), with("hbm.channels=64"));
  EXPECT_NE(program_key({"run", "a"}), program_key({"run", "b"}));
}

}  // namespace
}  // namespace podsim::studies::plan
