// SPDX-License-Identifier: Apache-2.0
#include "hw/host/host_port.h"

#include <gtest/gtest.h>

#include "base/systemc/systemc_time.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::host {
namespace {

/// 1 GB/s and 1 us of latency: a batch of 1000 bytes takes the link 1 us.
parts::host::Parameters slow_host() {
  parts::host::Parameters host = tpu_v3().host;
  host.pcie_rate = base::Bandwidth(1e9);
  host.pcie_latency = base::Duration(1e-6);
  host.infeed_queue_depth = 2;
  return host;
}

void run_until(std::int64_t ns) {
  sc_core::sc_start(sc_core::sc_time(double(ns), sc_core::SC_NS) - sc_core::sc_time_stamp());
}

TEST(HostPort, TheFirstBatchArrivesAfterItsTransferAndTheLatency) {
  HostPort host("host", slow_host(), 1, {});
  host.prepare(0, {base::Bytes(1000)});
  run_until(1999);
  EXPECT_FALSE(host.batch_ready(0));
  run_until(2001);
  EXPECT_TRUE(host.batch_ready(0));
}

TEST(HostPort, CoresTakeTurnsOnTheLink) {
  HostPort host("host", slow_host(), 2, {});
  host.prepare(0, {base::Bytes(1000)});
  host.prepare(1, {base::Bytes(1000)});
  run_until(2001);
  EXPECT_TRUE(host.batch_ready(0));
  EXPECT_FALSE(host.batch_ready(1));
  run_until(3001);
  EXPECT_TRUE(host.batch_ready(1));
}

TEST(HostPort, FillsEachQueueToItsDepthAndThenRests) {
  HostPort host("host", slow_host(), 2, {});
  host.prepare(0, {base::Bytes(1000)});
  host.prepare(1, {base::Bytes(1000)});
  run_until(100'000);
  EXPECT_EQ(host.transferred(), base::Bytes(4000));
}

TEST(HostPort, AConsumedBatchMakesRoomForTheNext) {
  HostPort host("host", slow_host(), 1, {});
  host.prepare(0, {base::Bytes(1000)});
  run_until(10'000);
  host.consume(0);
  run_until(11'000);
  EXPECT_EQ(host.transferred(), base::Bytes(3000));
  host.consume(0);
  EXPECT_FALSE(host.batch_ready(0));
  run_until(12'001);
  EXPECT_TRUE(host.batch_ready(0));
}

// At 2.5 us one batch has arrived and another one is on the link, until 3 us. A batch of half the size then takes 0.5
// us and the latency.
TEST(HostPort, BatchesOfOtherSizesReplaceThoseThatWerePrepared) {
  HostPort host("host", slow_host(), 1, {});
  host.prepare(0, {base::Bytes(1000)});
  run_until(2500);
  host.prepare(0, {base::Bytes(1000)});
  EXPECT_TRUE(host.batch_ready(0)) << "of the same sizes";
  host.prepare(0, {base::Bytes(500)});
  EXPECT_FALSE(host.batch_ready(0));
  run_until(3999);
  EXPECT_FALSE(host.batch_ready(0));
  run_until(4001);
  EXPECT_TRUE(host.batch_ready(0));
  run_until(100'000);
  EXPECT_EQ(host.transferred(), base::Bytes(2 * 1000 + 2 * 500)) << "the queue has two of them";
}

TEST(HostPort, PreparesNothingForACoreWithoutInfeed) {
  HostPort host("host", slow_host(), 2, {});
  host.prepare(1, {base::Bytes(500)});
  run_until(10'000);
  EXPECT_FALSE(host.batch_ready(0));
  EXPECT_EQ(host.transferred(), base::Bytes(1000));
}

/// A host that needs 10 us for a batch of 1000 bytes, which the link moves in 1 us.
parts::host::Parameters slow_pipeline() {
  parts::host::Parameters host = slow_host();
  host.batch_interval = base::Duration(10e-6);
  return host;
}

TEST(HostPort, ASlowHostGivesABatchEveryInterval) {
  HostPort host("host", slow_pipeline(), 1, {});
  host.prepare(0, {base::Bytes(1000)});
  // Prepared at 10 us, moved in 1 us, there 1 us later; the next was begun when the link took the first.
  for (int batch = 1; batch <= 5; ++batch) {
    run_until(batch * 10'000 + 1'999);
    EXPECT_FALSE(host.batch_ready(0)) << batch;
    run_until(batch * 10'000 + 2'001);
    EXPECT_TRUE(host.batch_ready(0)) << batch;
    host.consume(0);
  }
}

TEST(HostPort, PreparesTheTransfersOfABatchTogether) {
  HostPort host("host", slow_pipeline(), 1, {});
  host.prepare(0, {base::Bytes(1000), base::Bytes(500)});
  run_until(12'001);
  EXPECT_TRUE(host.batch_ready(0));
  host.consume(0);
  EXPECT_FALSE(host.batch_ready(0));
  run_until(12'501);
  EXPECT_TRUE(host.batch_ready(0));
}

TEST(HostPort, HasRoomForWholeBatches) {
  HostPort host("host", slow_host(), 1, {});
  host.prepare(0, {base::Bytes(1000), base::Bytes(500)});
  run_until(100'000);
  EXPECT_EQ(host.transferred(), base::Bytes(3000));
}

TEST(HostPort, PreparesTheBatchesOfItsCoresSideBySide) {
  HostPort host("host", slow_pipeline(), 2, {});
  host.prepare(0, {base::Bytes(1000)});
  host.prepare(1, {base::Bytes(1000)});
  run_until(12'001);
  EXPECT_TRUE(host.batch_ready(0));
  run_until(13'001);
  EXPECT_TRUE(host.batch_ready(1));
}

TEST(HostPort, HoldsOnePreparedBatchBesideAFullQueue) {
  HostPort host("host", slow_pipeline(), 1, {});
  host.prepare(0, {base::Bytes(1000)});
  run_until(1'000'000);
  EXPECT_EQ(host.transferred(), base::Bytes(2000));
  host.consume(0);  // the third is taken at once, the fourth needs an interval more
  run_until(1'002'001);
  EXPECT_EQ(host.transferred(), base::Bytes(3000));
  host.consume(0);
  run_until(1'009'999);
  EXPECT_EQ(host.transferred(), base::Bytes(3000));
  run_until(1'010'001);
  EXPECT_EQ(host.transferred(), base::Bytes(4000));
}

TEST(HostPort, MovesOutfeedsAtTheRateOfTheLinkBesideInfeeds) {
  HostPort host("host", slow_host(), 1, {});
  host.prepare(0, {base::Bytes(1000)});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  host.send(0, base::Bytes(3000));
  run_until(3'999);
  EXPECT_EQ(host.received(0), base::Bytes(0));
  run_until(4'001);
  EXPECT_EQ(host.received(0), base::Bytes(3000));
  EXPECT_TRUE(host.batch_ready(0));
}

TEST(HostPort, AnOutfeedQueueHasRoomAgainWhenTheLinkHasMovedATransfer) {
  HostPort host("host", slow_host(), 2, {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  host.send(1, base::Bytes(1000));
  EXPECT_TRUE(host.outfeed_room(1));
  host.send(1, base::Bytes(1000));
  EXPECT_FALSE(host.outfeed_room(1));
  EXPECT_TRUE(host.outfeed_room(0));
  run_until(999);
  EXPECT_FALSE(host.outfeed_room(1));
  run_until(1'001);
  EXPECT_TRUE(host.outfeed_room(1));
}

TEST(HostPort, TheFullerOutfeedQueueGoesFirst) {
  HostPort host("host", slow_host(), 2, {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  host.send(0, base::Bytes(1000));
  host.send(1, base::Bytes(1000));
  host.send(1, base::Bytes(1000));
  run_until(2'001);
  EXPECT_EQ(host.received(0), base::Bytes(0));
  EXPECT_EQ(host.received(1), base::Bytes(1000));
  run_until(4'001);
  EXPECT_EQ(host.received(0), base::Bytes(1000));
  EXPECT_EQ(host.received(1), base::Bytes(2000));
}

}  // namespace
}  // namespace podsim::hw::host
