// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/result_pipeline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

namespace podsim::hw::bundle::results {
namespace {

using base::Cycles;

/// A reference model of the unit in steps of one cycle: results of a pipe pass an output port into a FIFO.
class SteppedPipeline {
 public:
  SteppedPipeline(std::int64_t interval, std::int64_t latency, std::int64_t slots)
      : interval_(interval), latency_(latency), places_(slots) {}

  void step() {
    ++now_;
    popped_now_ = 0;
    move();
  }
  bool can_enter(std::int64_t results) const {
    return now_ >= entry_free_ && std::int64_t(pipe_.size()) + fifo_ + popped_now_ + results <= places_;
  }
  void enter(std::int64_t results) {
    entry_free_ = now_ + interval_;
    for (std::int64_t i = 0; i < results; ++i) pipe_.push_back(now_ + latency_);
    move();
  }
  bool can_pop() const { return fifo_ > 0; }
  void pop() {
    --fifo_;
    ++popped_now_;
  }
  bool empty() const { return pipe_.empty() && fifo_ == 0; }

 private:
  void move() {
    if (pipe_.empty() || pipe_.front() > now_ || now_ < port_free_) return;
    pipe_.pop_front();
    ++fifo_;
    port_free_ = now_ + interval_;
  }
  std::int64_t interval_, latency_, places_;
  std::int64_t now_ = 0, entry_free_ = 0, port_free_ = 0, fifo_ = 0, popped_now_ = 0;
  std::deque<std::int64_t> pipe_;  ///< cycles in which results reach the port at the earliest
};

/// The Readiness of the stepped unit: the first cycle, not before `now`, in which `possible` holds.
template <class Possible>
void expect_agreement(const Readiness& readiness, std::int64_t now, SteppedPipeline unit, Possible possible) {
  if (readiness.kind != Readiness::Kind::at) {
    for (int cycle = 0; cycle < 200; ++cycle, unit.step()) RC_ASSERT(!possible(unit));
    return;
  }
  RC_ASSERT(readiness.cycle.value() >= now);
  for (; now < readiness.cycle.value(); ++now, unit.step()) RC_ASSERT(!possible(unit));
  RC_ASSERT(possible(unit));
}

RC_GTEST_PROP(ResultPipeline, AgreesWithAUnitThatIsSteppedCycleByCycle, ()) {
  const auto interval = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto latency = *rc::gen::inRange<std::int64_t>(0, 40);
  const auto slots = *rc::gen::inRange<std::int64_t>(1, 20);
  ResultPipeline pipeline{Cycles(interval), Cycles(latency), slots};
  SteppedPipeline stepped(interval, latency, slots);
  for (std::int64_t now = 0; now < 150; ++now, stepped.step()) {
    const Readiness pop = pipeline.ready_to_pop(Cycles(now));
    RC_ASSERT((pop.kind == Readiness::Kind::illegal) == stepped.empty());
    RC_ASSERT(pop.kind != Readiness::Kind::never);
    expect_agreement(pop, now, stepped, [](const SteppedPipeline& unit) { return unit.can_pop(); });
    if (stepped.can_pop() && *rc::gen::inRange(0, 3) == 0) {
      pipeline.pop(Cycles(now));
      stepped.pop();
    }
    const auto results = *rc::gen::inRange<std::int64_t>(0, 4);
    const Readiness push = pipeline.ready_to_enter(results, Cycles(now));
    RC_ASSERT((push.kind == Readiness::Kind::illegal) == (results > slots));
    expect_agreement(push, now, stepped, [&](const SteppedPipeline& unit) { return unit.can_enter(results); });
    if (stepped.can_enter(results) && *rc::gen::inRange(0, 3) != 0) {
      pipeline.enter(results, Cycles(now));
      stepped.enter(results);
    }
  }
}

TEST(ResultPipeline, OperationsEnterAnIntervalApartAndLeaveAfterTheLatency) {
  ResultPipeline pipeline{Cycles(8), Cycles(100), 32};
  EXPECT_EQ(pipeline.ready_to_enter(1, Cycles(5)).cycle, Cycles(5));
  pipeline.enter(1, Cycles(5));
  EXPECT_EQ(pipeline.ready_to_enter(1, Cycles(6)).cycle, Cycles(13));
  EXPECT_EQ(pipeline.ready_to_enter(1, Cycles(50)).cycle, Cycles(50));
  EXPECT_EQ(pipeline.ready_to_pop(Cycles(6)).cycle, Cycles(105));
  EXPECT_EQ(pipeline.ready_to_pop(Cycles(200)).cycle, Cycles(200));
}

TEST(ResultPipeline, AFullUnitTakesNothingUntilTheCycleAfterAPop) {
  ResultPipeline pipeline{Cycles(1), Cycles(4), 2};
  pipeline.enter(1, Cycles(0));
  pipeline.enter(1, Cycles(1));
  EXPECT_EQ(pipeline.ready_to_enter(1, Cycles(2)).kind, Readiness::Kind::never);
  pipeline.pop(Cycles(4));
  EXPECT_EQ(pipeline.ready_to_enter(1, Cycles(4)).cycle, Cycles(5));
  EXPECT_EQ(pipeline.ready_to_enter(2, Cycles(4)).kind, Readiness::Kind::never);
  EXPECT_EQ(pipeline.ready_to_enter(3, Cycles(4)).kind, Readiness::Kind::illegal);
}

TEST(ResultPipeline, AStreamOfOnePerIntervalNeedsAPlaceForEveryIntervalUntilThePop) {
  // With results popped as soon as possible, result j enters at least 4 + 1 cycles after result j - slots.
  const auto last_enter = [](std::int64_t slots) {
    ResultPipeline pipeline{Cycles(1), Cycles(4), slots};
    Cycles now;
    for (int i = 0; i < 100; ++i) {
      Readiness enter = pipeline.ready_to_enter(1, now);
      while (enter.kind == Readiness::Kind::never || pipeline.ready_to_pop(now).cycle <= now) {
        if (pipeline.ready_to_pop(now).kind != Readiness::Kind::at) break;
        now = pipeline.ready_to_pop(now).cycle;
        pipeline.pop(now);
        enter = pipeline.ready_to_enter(1, now);
      }
      now = enter.cycle;
      pipeline.enter(1, now);
    }
    return now;
  };
  EXPECT_EQ(last_enter(5), Cycles(99));
  EXPECT_EQ(last_enter(4), Cycles(99 + 99 / 4));  // four in five cycles
  EXPECT_EQ(last_enter(1), Cycles(99 * 5));       // one in five
}

TEST(ResultPipeline, IsBusyForAnIntervalPerOperationUpToTheCycleAskedFor) {
  ResultPipeline pipeline{Cycles(8), Cycles(100), 32};
  EXPECT_EQ(pipeline.busy(Cycles(0)), Cycles(0));
  pipeline.enter(1, Cycles(10));
  EXPECT_EQ(pipeline.busy(Cycles(10)), Cycles(0));
  EXPECT_EQ(pipeline.busy(Cycles(13)), Cycles(3));
  EXPECT_EQ(pipeline.busy(Cycles(40)), Cycles(8));
  pipeline.enter(0, Cycles(40));
  EXPECT_EQ(pipeline.busy(Cycles(41)), Cycles(9));
  EXPECT_EQ(pipeline.busy(Cycles(400)), Cycles(16));
}

}  // namespace
}  // namespace podsim::hw::bundle::results
