// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/run_statistics.h"

#include <gtest/gtest.h>

namespace podsim::sw::runtime {
namespace {

TEST(RunStatistics, CoverEveryOpAndItsWaitsAddUp) {
  RunResult result;
  for (int i = 1; i <= 3; ++i) {
    ItemResult item;
    item.cost.start_up = base::Cycles(1 * i);
    item.cost.compute = base::Cycles(10 * i);
    item.cost.read_wait = base::Cycles(100 * i);
    item.cost.write_wait = base::Cycles(1000 * i);
    item.cost.drain = base::Cycles(10000 * i);
    item.cost.control = base::Cycles(100000 * i);
    item.cost.cycles = base::Cycles(111111 * i);
    item.cost.read_bytes = base::Bytes(7 * i);
    result.items.push_back(item);
  }
  base::StatisticSet set = run_statistics(result, 5, 12);
  std::int64_t parts = 0;
  for (const char* name :
       {"core.start_up", "core.compute", "core.read_wait", "core.write_wait", "core.control", "core.drain"}) {
    ASSERT_NE(set.find(name), nullptr) << name;
    parts += set.find(name)->value();
  }
  EXPECT_EQ(parts, 6 * 111111);
  EXPECT_EQ(set.find("core.op_cycles")->value(), 6 * 111111);
  EXPECT_EQ(set.find("core.hbm_read")->value(), 42);
  EXPECT_EQ(set.find("ici.messages")->value(), 5);
  EXPECT_EQ(set.find("ici.hops")->value(), 12);
}

}  // namespace
}  // namespace podsim::sw::runtime
