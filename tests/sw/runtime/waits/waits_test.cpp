// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/waits.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/systemc/fresh_context.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime::waits {
namespace {

/// Counts the External commands that end.
class CountingCore : public hw::core::Core {
 public:
  hw::core::CoreId id() const override { return {}; }
  void complete_external() override { ++ended; }
  void resume() override {}
  base::Cycles now() const override { return {}; }
  base::Time time_of(base::Cycles) const override { return {}; }
  int ended = 0;
};

class CountingChip : public hw::chip::Chip {
 public:
  CountingChip(sc_core::sc_module_name name, const sw::TargetMachine& machine, int number)
      : Chip(name, machine, number) {}
  int cores() const override { return 2; }
  CountingCore& core(int index) override { return cores_[index]; }

 private:
  CountingCore cores_[2];
};

class WaitsOfTwoChips : public ::testing::Test {
 protected:
  base::systemc::FreshContext context_;
  sw::TargetMachine machine_ = sw::tpu_v3();
  CountingChip first_{"first", machine_, 0}, second_{"second", machine_, 1};
  Waits waits_{{&first_, &second_}};
};

TEST_F(WaitsOfTwoChips, ACoreGoesOnWhenWhatItWaitsForIsOver) {
  waits_.wait(3, 7);
  waits_.over(3, 6);
  EXPECT_EQ(second_.core(1).ended, 0);
  waits_.over(3, 7);
  EXPECT_EQ(second_.core(1).ended, 1);
  EXPECT_EQ(second_.core(0).ended + first_.core(1).ended, 0);
}

TEST_F(WaitsOfTwoChips, WhatIsOverAlreadyIsNotWaitedFor) {
  waits_.started(0, 4, 40);
  waits_.over(0, 40);
  EXPECT_TRUE(waits_.at_end(0, 40));
  waits_.started(0, 4, 41);
  EXPECT_FALSE(waits_.at_end(0, 41));
  waits_.over(0, 41);
  waits_.wait(0, 41);
  EXPECT_EQ(first_.core(0).ended, 1);
}

TEST_F(WaitsOfTwoChips, TheFirstInFlightIsTheOldestThatGoesOn) {
  EXPECT_EQ(waits_.first_in_flight(1), -1);
  waits_.started(1, 4, 40);
  waits_.started(1, 5, 41);
  EXPECT_EQ(waits_.first_in_flight(1), 4);
  waits_.over(1, 40);
  EXPECT_EQ(waits_.first_in_flight(1), 5);
  waits_.over(1, 41);
  EXPECT_EQ(waits_.first_in_flight(1), 4) << "none goes on";
  waits_.at_end(1, 40);
  EXPECT_EQ(waits_.first_in_flight(1), 5);
}

TEST_F(WaitsOfTwoChips, AnItemOfACoreGoesOnUntilItIsOver) {
  EXPECT_FALSE(waits_.any_goes_on(2));
  waits_.started(2, 4, 40);
  waits_.started(2, 5, 41);
  waits_.over(2, 41);
  EXPECT_TRUE(waits_.any_goes_on(2));
  EXPECT_FALSE(waits_.any_goes_on(3)) << "it is another core's";
  waits_.over(2, 40);
  EXPECT_FALSE(waits_.any_goes_on(2)) << "though the core has not waited for them yet";
}

}  // namespace
}  // namespace podsim::sw::runtime::waits
