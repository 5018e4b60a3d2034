// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace podsim::base {
namespace {

TEST(Statistics, CountAndAreFoundByName) {
  StatisticSet set;
  Statistic& cycles = set.add("core0.mxu0.busy", "cycles", "with a row in the array");
  for (int i = 0; i < 100; ++i) set.add("other" + std::to_string(i), "", "");
  cycles.add(5);
  cycles.add(7);
  ASSERT_NE(set.find("core0.mxu0.busy"), nullptr);
  EXPECT_EQ(set.find("core0.mxu0.busy")->value(), 12);
  EXPECT_EQ(set.find("core0.mxu1.busy"), nullptr);
  EXPECT_EQ(std::distance(set.begin(), set.end()), 101);
}

TEST(Statistics, NamesAreUnique) {
  StatisticSet set;
  set.add("a", "", "");
  EXPECT_THROW(set.add("a", "", ""), std::logic_error);
}

TEST(Statistics, ArePrintedInColumns) {
  StatisticSet set;
  set.add("dma.bytes", "bytes", "read from HBM").add(1048576);
  set.add("mxu.busy", "cycles", "").add(7);
  std::ostringstream out;
  set.write_text(out);
  EXPECT_EQ(out.str(),
            "dma.bytes  1048576  bytes   read from HBM\n"
            "mxu.busy         7  cycles\n");
}

}  // namespace
}  // namespace podsim::base
