// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/workloads/goodput/sample_job.h"

namespace podsim::workloads::goodput {
namespace {

/// 64 chips, 2 x 7 x 8 links of a mesh, 8 hosts. Without a link of a mesh three hops around a square join its ends, and
/// half of the slice has none of any single part.
TEST(Verdicts, AreOfEveryPartOfA8x8Slice) {
  const std::vector<Verdict> all = verdicts(test::sample_site());
  const auto count = [&](Verdict::Part part) { return std::ranges::count(all, part, &Verdict::part); };
  EXPECT_EQ(count(Verdict::Part::chip), 64);
  EXPECT_EQ(count(Verdict::Part::link), 112);
  EXPECT_EQ(count(Verdict::Part::host), 8);
  for (const Verdict& verdict : all) {
    ASSERT_TRUE(verdict.remaining) << verdict.name;
    EXPECT_EQ(verdict.remaining->sizes[0] * verdict.remaining->sizes[1], 32) << verdict.name;
    EXPECT_EQ(verdict.hops, verdict.part == Verdict::Part::link ? 3 : 0) << verdict.name;
  }
}

/// A ring of a torus has a way around through its other side only where its rows are one chip wide.
TEST(Verdicts, SayWhatNothingJoins) {
  const noc::PodShape ring{{4, 1}, 1};
  const Site torus(noc::slice_topology(ring, {4, 1}), ring, 1);
  for (const Verdict& verdict : verdicts(torus)) {
    EXPECT_EQ(verdict.hops, verdict.part == Verdict::Part::link ? 3 : 0);
  }
  const noc::PodShape larger{{8, 1}, 1};
  const Site line(noc::slice_topology(larger, {4, 1}), larger, 1);
  for (const Verdict& verdict : verdicts(line)) {
    EXPECT_EQ(verdict.hops, verdict.part == Verdict::Part::link ? 0 : 0);
  }
  const Site one(noc::slice_topology(larger, {1, 1}), larger, 1);
  for (const Verdict& verdict : verdicts(one)) EXPECT_FALSE(verdict.remaining) << verdict.name;
}

}  // namespace
}  // namespace podsim::workloads::goodput
