// SPDX-License-Identifier: Apache-2.0
#include "base/systemc/fresh_context.h"

#include <gtest/gtest.h>

namespace podsim::base::systemc {
namespace {

struct Alarm : sc_core::sc_module {
  SC_HAS_PROCESS(Alarm);
  explicit Alarm(sc_core::sc_module_name name) : sc_module(name) {
    SC_METHOD(ring);
    sensitive << bell;
    dont_initialize();
  }
  void ring() { ++rung; }
  sc_core::sc_event bell;
  int rung = 0;
};

/// Each context has separate names, processes and time.
TEST(FreshContext, ASimulationInBetweenLeavesTheOneBeforeAsItWas) {
  Alarm outer("alarm");
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_NS));
  outer.bell.notify(sc_core::sc_time(5, sc_core::SC_NS));
  for (int i = 0; i < 3; ++i) {
    const FreshContext context;
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    Alarm inner("alarm");
    EXPECT_STREQ(inner.name(), "alarm");
    inner.bell.notify(sc_core::sc_time(100, sc_core::SC_NS));
    sc_core::sc_start();
    EXPECT_EQ(inner.rung, 1);
    EXPECT_EQ(outer.rung, 0);
  }
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(5, sc_core::SC_NS));
  sc_core::sc_start();
  EXPECT_EQ(outer.rung, 1);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(10, sc_core::SC_NS));
}

}  // namespace
}  // namespace podsim::base::systemc
