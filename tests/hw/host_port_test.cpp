// SPDX-License-Identifier: Apache-2.0
#include "hw/host_port.h"

#include <gtest/gtest.h>

#include "noc/systemc_time.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw {
namespace {

/// 1 GB/s and 1 us of latency: a batch of 1000 bytes takes the link 1 us.
HostParameters slow_host() {
  HostParameters host = tpu_v3().host;
  host.pcie_rate = base::Bandwidth(1e9);
  host.pcie_latency = base::Duration(1e-6);
  host.infeed_queue_depth = 2;
  return host;
}

void run_until(std::int64_t ns) {
  sc_core::sc_start(sc_core::sc_time(double(ns), sc_core::SC_NS) - sc_core::sc_time_stamp());
}

TEST(HostPort, the_first_batch_arrives_after_its_transfer_and_the_latency) {
  HostPort host("host", slow_host(), 1, {});
  host.prepare(0, base::Bytes(1000));
  run_until(1999);
  EXPECT_FALSE(host.batch_ready(0));
  run_until(2001);
  EXPECT_TRUE(host.batch_ready(0));
}

TEST(HostPort, cores_take_turns_on_the_link) {
  HostPort host("host", slow_host(), 2, {});
  host.prepare(0, base::Bytes(1000));
  host.prepare(1, base::Bytes(1000));
  run_until(2001);
  EXPECT_TRUE(host.batch_ready(0));
  EXPECT_FALSE(host.batch_ready(1));
  run_until(3001);
  EXPECT_TRUE(host.batch_ready(1));
}

TEST(HostPort, fills_each_queue_to_its_depth_and_then_rests) {
  HostPort host("host", slow_host(), 2, {});
  host.prepare(0, base::Bytes(1000));
  host.prepare(1, base::Bytes(1000));
  run_until(100'000);
  EXPECT_EQ(host.transferred(), base::Bytes(4000));
}

TEST(HostPort, a_consumed_batch_makes_room_for_the_next) {
  HostPort host("host", slow_host(), 1, {});
  host.prepare(0, base::Bytes(1000));
  run_until(10'000);
  host.consume(0);
  run_until(11'000);
  EXPECT_EQ(host.transferred(), base::Bytes(3000));
  host.consume(0);
  EXPECT_FALSE(host.batch_ready(0));
  run_until(12'001);
  EXPECT_TRUE(host.batch_ready(0));
}

TEST(HostPort, prepares_nothing_for_a_core_without_infeed) {
  HostPort host("host", slow_host(), 2, {});
  host.prepare(1, base::Bytes(500));
  run_until(10'000);
  EXPECT_FALSE(host.batch_ready(0));
  EXPECT_EQ(host.transferred(), base::Bytes(1000));
}

}  // namespace
}  // namespace podsim::hw
