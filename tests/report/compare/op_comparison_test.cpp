// SPDX-License-Identifier: Apache-2.0
#include "report/compare/op_comparison.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace podsim::report::compare {
namespace {

TimedOp op(const std::string& name, const std::string& category, std::int64_t picoseconds,
           const std::string& bound = "HBM") {
  return {.name = name,
          .category = category,
          .bound = bound,
          .scope = run::op_scope(name),
          .executions = 1,
          .time = base::Time(picoseconds),
          .flops = 0,
          .bytes = 0};
}

base::Time total(const std::vector<TimedOp>& ops) {
  base::Time time;
  for (const TimedOp& each : ops) time += each.time;
  return time;
}

TEST(OpComparison, MatchesByNameAndCategory) {
  const auto rows = compare_ops({op("a", "fusion", 10), op("b", "fusion", 20), op("b", "copy", 1)},
                                {op("b", "copy", 1), op("b", "fusion", 50), op("a", "fusion", 5)});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "b");  // +30
  EXPECT_EQ(rows[0].difference(), base::Time(30));
  EXPECT_EQ(rows[1].name, "a");  // -5
  EXPECT_EQ(rows[1].difference(), base::Time(-5));
  EXPECT_EQ(rows[2].difference(), base::Time(0));
  for (const OpDifference& row : rows) EXPECT_EQ(row.match, OpDifference::Match::same);
}

TEST(OpComparison, SeveralOpsOfANameAreOneRowBoundByTheLongest) {
  const auto rows = compare_ops({op("a", "fusion", 10, "MXU"), op("a", "fusion", 20, "HBM")}, {op("a", "fusion", 7)});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].a->ops, 2);
  EXPECT_EQ(rows[0].a->time, base::Time(30));
  EXPECT_EQ(rows[0].a->bound, "HBM");
  EXPECT_EQ(rows[0].b->ops, 1);
}

TEST(OpComparison, WhatIsFusedOnOneSideAloneIsStillTheOpOfItsName) {
  const auto rows = compare_ops({op("a", "convolution fusion", 10)}, {op("a", "convolution", 6), op("a", "copy", 3)});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].match, OpDifference::Match::other_category);
  EXPECT_EQ(rows[0].a->categories, std::vector<std::string>{"convolution fusion"});
  EXPECT_EQ(rows[0].b->categories, (std::vector<std::string>{"convolution", "copy"}));
  EXPECT_EQ(rows[0].difference(), base::Time(-1));
}

TEST(OpComparison, ACollectiveIsNoPartOfWhatComputesUnderItsName) {
  const auto rows = compare_ops({op("a", "fusion", 10)}, {op("a", "fusion", 6), op("a", "reduce-scatter", 3)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].match, OpDifference::Match::same);
  EXPECT_EQ(rows[1].match, OpDifference::Match::only_b);
  EXPECT_EQ(rows[1].difference(), base::Time(3));
  EXPECT_FALSE(rows[1].a.has_value());
}

TEST(OpComparison, OpsOfOneSideAreListed) {
  const auto rows = compare_ops({op("a", "fusion", 10)}, {op("b", "fusion", 10)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].match, OpDifference::Match::only_a);
  EXPECT_EQ(rows[0].difference(), base::Time(-10));
  EXPECT_EQ(rows[1].match, OpDifference::Match::only_b);
}

TEST(OpComparison, GroupsHaveTheTimesOfBothSides) {
  const auto groups =
      compare_by({op("a", "fusion", 10, "MXU"), op("b", "copy", 4)}, {op("a", "fusion", 7, "HBM"), op("c", "copy", 4)},
                 [](const TimedOp& each) { return each.bound; });
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "MXU");
  EXPECT_EQ(groups[0].difference(), base::Time(-10));
  EXPECT_EQ(groups[1].name, "HBM");
  EXPECT_EQ(groups[1].a, base::Time(4));
  EXPECT_EQ(groups[1].b, base::Time(11));
  EXPECT_EQ(groups[1].ops_b, 2);
}

/// For any ops, no time is lost or counted twice.
TEST(OpComparison, RowsAndGroupsAddUpToTheOps) {
  rc::check([] {
    const auto ops = [] {
      const auto names = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6 * 4 * 1000));
      std::vector<TimedOp> result;
      for (int n : names) {
        const char* const categories[] = {"fusion", "copy", "all-reduce", "infeed"};
        result.push_back(op("layer" + std::to_string(n % 6), categories[n / 6 % 4], n / 24));
      }
      return result;
    };
    const std::vector<TimedOp> a = ops(), b = ops();
    base::Time of_a, of_b, difference;
    std::int64_t ops_a = 0, ops_b = 0;
    const auto rows = compare_ops(a, b);
    for (const OpDifference& row : rows) {
      of_a += row.time_a();
      of_b += row.time_b();
      difference += row.difference();
      ops_a += row.a ? row.a->ops : 0;
      ops_b += row.b ? row.b->ops : 0;
    }
    RC_ASSERT(of_a == total(a));
    RC_ASSERT(of_b == total(b));
    RC_ASSERT(difference == total(b) - total(a));
    RC_ASSERT(ops_a == std::int64_t(a.size()) && ops_b == std::int64_t(b.size()));
    RC_ASSERT(std::ranges::is_sorted(rows, std::ranges::greater{},
                                     [](const OpDifference& row) { return std::abs(row.difference().value()); }));
    base::Time grouped;
    for (const TimeDifference& group : compare_by(a, b, [](const TimedOp& each) { return each.scope.layer; })) {
      grouped += group.difference();
    }
    RC_ASSERT(grouped == difference);
  });
}

}  // namespace
}  // namespace podsim::report::compare
