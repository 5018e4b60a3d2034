// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/all_reduce_time.h"

#include <gtest/gtest.h>

#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime {
namespace {

TEST(AllReduceTime, OfAFewNumbersIsTheLaunchAndTheLatencies) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const base::Time time = all_reduce_time(machine, noc::Topology({2, 2}, {false, false}), 2);
  EXPECT_GT(time, base::to_time(machine.collective_code.launch));
  EXPECT_LT(time, base::to_time(machine.collective_code.launch + base::Duration(50e-6)));
}

}  // namespace
}  // namespace podsim::sw::runtime
