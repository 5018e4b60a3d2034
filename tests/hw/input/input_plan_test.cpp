// SPDX-License-Identifier: Apache-2.0
#include "hw/input/input_plan.h"

#include <gtest/gtest.h>

namespace podsim::hw::input {
namespace {

InputPlan two_hosts() {
  InputPlan plan;
  plan.stages = {{"read", base::Duration(0.5), 0, 1}, {"batch", base::Duration(0.25), 0, 1}};
  plan.hosts = 2;
  return plan;
}

TEST(InputPlan, HostsThatDoTheSameAreSimulatedOnce) {
  InputPlan plan = two_hosts();
  EXPECT_EQ(plan.simulated_hosts(), 1);
  plan.stages[1].spread = 0.1;
  EXPECT_EQ(plan.simulated_hosts(), 2);
}

TEST(InputPlan, TheStagesOfASlowHostTakeLonger) {
  InputPlan plan = two_hosts();
  plan.speeds = {1, 0.5};
  EXPECT_EQ(plan.simulated_hosts(), 2);
  EXPECT_EQ(plan.stages_of(0)[0].mean.si(), 0.5);
  EXPECT_EQ(plan.stages_of(1)[0].mean.si(), 1);
  EXPECT_EQ(plan.stages_of(1)[1].mean.si(), 0.5);
}

}  // namespace
}  // namespace podsim::hw::input
