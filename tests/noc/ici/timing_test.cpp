// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/timed_queue.h"
#include "noc/chip_switch/switch_timing.h"
#include "noc/ici/link_timing.h"
#include "tests/noc/ici/slow_links.h"

namespace podsim::noc::ici {
namespace {

using base::Bytes;
using base::Time;

TEST(LinkTiming, AMessageTakesSerialisationAndHopLatency) {
  LinkTiming link(slow_links(), false);
  LinkPassage passage = link.pass(Time(5000), Time(5000), Bytes(100));
  EXPECT_EQ(passage.start, Time(5000));
  EXPECT_EQ(passage.tail_out, Time(105000));
  EXPECT_EQ(passage.head_at_next, Time(305000));
  EXPECT_EQ(passage.tail_at_next, Time(405000));
}

TEST(LinkTiming, TheSecondMessageWaitsForTheTailOfTheFirst) {
  LinkTiming link(slow_links(), false);
  link.pass(Time(0), Time(0), Bytes(100));
  EXPECT_EQ(link.pass(Time(1000), Time(1000), Bytes(10)).start, Time(100000));
  EXPECT_EQ(link.busy(), Time(110000));
  EXPECT_EQ(link.bytes(), Bytes(110));
}

TEST(LinkTiming, ALinkCannotSendATailThatHasNotArrived) {
  LinkTiming link(slow_links(), false);
  EXPECT_EQ(link.pass(Time(0), Time(900000), Bytes(100)).tail_out, Time(900000));
}

TEST(LinkTiming, AnOpticalLinkBetweenPodsTakesLonger) {
  EXPECT_EQ(LinkTiming(slow_links(), true).latency(), Time(550000));
}

TEST(SwitchTiming, CountsWholeCyclesOfTheChipClock) {
  // 513 B at 512 B per cycle are two cycles, and the crossing ten: at 1 GHz 2 and 12 ns.
  chip_switch::SwitchTiming timing({.bytes_per_cycle = 512, .crossing_latency = base::Cycles(10)}, base::Frequency(1e9),
                                   3);
  chip_switch::SwitchPassage passage = timing.pass(Time(0), 0, 1, Bytes(513));
  EXPECT_EQ(passage.ports_free, Time(2000));
  EXPECT_EQ(passage.arrival, Time(12000));
}

TEST(SwitchTiming, PortsAreFullDuplexAndHeldByOneTransferAtATime) {
  chip_switch::SwitchTiming timing({.bytes_per_cycle = 1, .crossing_latency = base::Cycles(0)}, base::Frequency(1e9),
                                   3);
  timing.pass(Time(0), 0, 1, Bytes(100));
  EXPECT_EQ(timing.pass(Time(0), 1, 0, Bytes(100)).start, Time(0));       // the other way round
  EXPECT_EQ(timing.pass(Time(0), 2, 1, Bytes(100)).start, Time(100000));  // the same receiver
}

TEST(TimedQueue, OrdersByTimeThenRankThenInsertion) {
  base::TimedQueue<char> queue;
  queue.push(Time(2), 0, 'd');
  queue.push(Time(1), 1, 'b');
  queue.push(Time(1), 1, 'c');
  queue.push(Time(1), 0, 'a');
  std::string order;
  while (!queue.empty()) order += queue.pop().value;
  EXPECT_EQ(order, "abcd");
}

}  // namespace
}  // namespace podsim::noc::ici
