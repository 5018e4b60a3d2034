// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/step_observer.h"

#include <gtest/gtest.h>

namespace podsim::sw::runtime {
namespace {

using base::Bytes;
using base::Time;
using Kind = compiler::ProgramItem::Kind;

ItemResult item(int index, std::int64_t duration, std::int64_t bytes = 0) {
  ItemResult result{.item = index, .duration = Time(duration), .cost = {}, .bound = Bound::latency};
  result.cost.read_bytes = Bytes(bytes);
  return result;
}

TEST(StepObserver, KeepsTheLastCompleteStepWhileTheNextOneRuns) {
  StepObserver observer;
  observer.item_ended(Kind::op, item(0, 10, 100), Time(10));
  observer.item_ended(Kind::collective, item(1, 5), Time(15));
  observer.step_ended();
  observer.item_ended(Kind::op, item(0, 20, 100), Time(35));
  EXPECT_EQ(observer.steps(), 1);
  EXPECT_EQ(observer.step().duration(), Time(15));
  EXPECT_EQ(observer.step().compute, Time(10));
  EXPECT_EQ(observer.step().collective, Time(5));
  EXPECT_EQ(observer.step().hbm_bytes, Bytes(100));
  observer.item_ended(Kind::infeed, item(1, 2), Time(40));
  observer.step_ended();
  EXPECT_EQ(observer.step_times(), (std::vector{Time(15), Time(25)}));
  EXPECT_EQ(observer.step().infeed, Time(2));
  EXPECT_EQ(observer.step().items.size(), 2U);
}

TEST(StepObserver, BeforeTheFirstStepIsCompleteShowsItsBeginning) {
  StepObserver observer;
  observer.item_ended(Kind::op, item(0, 10), Time(10));
  EXPECT_EQ(observer.steps(), 0);
  EXPECT_EQ(observer.step().items.size(), 1U);
  EXPECT_EQ(observer.step().duration(), Time(10));
}

}  // namespace
}  // namespace podsim::sw::runtime
