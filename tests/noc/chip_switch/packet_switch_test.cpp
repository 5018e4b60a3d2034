// SPDX-License-Identifier: Apache-2.0
#include "noc/chip_switch/packet_switch.h"
#include "tests/noc/chip_switch/wide_switch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <random>
#include <set>

namespace podsim::noc::chip_switch {
namespace {

using base::Bytes;
using base::Cycles;
using Switch = PacketSwitch<int>;

struct Arrival {
  Cycles cycle;
  Switch::Packet packet;
};

/// Steps a switch through its events and takes everything at once.
std::vector<Arrival> run(Switch& s, Cycles until) {
  std::vector<Arrival> arrivals;
  std::vector<Switch::Packet> crossed, started;
  for (auto next = s.next_event(); next && *next <= until; next = s.next_event()) {
    crossed.clear();
    s.deliver(*next, crossed);
    for (const Switch::Packet& packet : crossed) {
      arrivals.push_back({*next, packet});
      s.taken(packet.destination, *next);
    }
    s.arbitrate(*next, started);
  }
  return arrivals;
}

constexpr Cycles long_time{1'000'000};

TEST(PacketSwitch, APacketTakesItsOccupancyAndTheCrossing) {
  // 512 B a cycle and 10 cycles: 1 KiB crosses in 2 + 10, a packet without data is one cycle of header.
  for (const auto& [bytes, cycles] :
       std::map<int, int>{{0, 11}, {1, 11}, {512, 11}, {513, 12}, {1024, 12}, {5120, 20}}) {
    Switch s(wide, 3);
    s.push({0, 2, s.occupancy(Bytes(bytes)), 0}, Cycles(100));
    EXPECT_EQ(run(s, long_time).at(0).cycle, Cycles(100 + cycles)) << bytes << " B";
  }
}

TEST(PacketSwitch, CountsTheOccupanciesOfBothPortsOfAPacket) {
  Switch s(wide, 3);
  for (const int bytes : {0, 1024, 5120}) s.push({0, 2, s.occupancy(Bytes(bytes)), 0}, Cycles(0));
  s.push({1, 2, s.occupancy(Bytes(513)), 0}, Cycles(0));
  run(s, long_time);
  EXPECT_EQ(s.input_busy(0), Cycles(1 + 2 + 10));
  EXPECT_EQ(s.input_busy(1), Cycles(2));
  EXPECT_EQ(s.output_busy(2), Cycles(1 + 2 + 10 + 2));
  EXPECT_EQ(s.output_busy(0), Cycles(0));
}

TEST(PacketSwitch, CarriesThePortsWidthWhereAllSendToOne) {
  Switch s({.bytes_per_cycle = 512, .crossing_latency = Cycles(10), .queue_packets = 1000}, 5);
  for (int i = 0; i < 1000; ++i) {
    for (int input = 0; input < 4; ++input) s.push({input, 4, s.occupancy(Bytes(1024)), i}, Cycles(0));
  }
  // 4000 packets of two cycles, the first from cycle 0, and the crossing of the last.
  EXPECT_EQ(run(s, long_time).back().cycle, Cycles(4000 * 2 + 10));
}

TEST(PacketSwitch, CarriesTheWidthOfEveryPortAtOnceWhereTheyAllSendToAll) {
  const int ports = 9;
  Switch s({.bytes_per_cycle = 512, .crossing_latency = Cycles(10), .queue_packets = 1000}, ports);
  for (int i = 0; i < 300; ++i) {
    for (int pair = 0; pair < ports * ports; ++pair) s.push({pair % ports, pair / ports, Cycles(2), i}, Cycles(0));
  }
  // Every output has 300 packets of each of 9 inputs; the first slots, before the pointers spread out, may be wasted.
  const Cycles end = run(s, long_time).back().cycle;
  EXPECT_GE(end, Cycles(300 * 9 * 2 + 10));
  EXPECT_LE(end, Cycles(300 * 9 * 2 + 10 + 2 * ports * ports));
}

TEST(PacketSwitch, PortsAreFullDuplex) {
  Switch s(wide, 2);
  s.push({0, 1, Cycles(100), 0}, Cycles(0));
  s.push({1, 0, Cycles(100), 1}, Cycles(0));
  for (const Arrival& arrival : run(s, long_time)) EXPECT_EQ(arrival.cycle, Cycles(110));
}

TEST(PacketSwitch, APacketForABlockedOutputHoldsUpNoneForAnother) {
  Switch s(wide, 3);
  std::vector<Switch::Packet> crossed, started;
  s.push({0, 1, Cycles(2), 0}, Cycles(0));
  s.arbitrate(Cycles(0), started);
  s.deliver(Cycles(12), crossed);  // it is not taken
  ASSERT_EQ(crossed.size(), 1u);
  s.push({0, 1, Cycles(2), 1}, Cycles(12));
  s.push({0, 2, Cycles(2), 2}, Cycles(12));
  const auto arrivals = run(s, long_time);
  ASSERT_EQ(arrivals.size(), 1u);
  EXPECT_EQ(arrivals[0].packet.cargo, 2);
  EXPECT_EQ(arrivals[0].cycle, Cycles(24));
}

TEST(PacketSwitch, WhatWasCrossingToABlockedOutputComesOutAtThePortsWidth) {
  Switch s(wide, 2);
  std::vector<Switch::Packet> crossed, started;
  for (int i = 0; i < 16; ++i) s.push({0, 1, Cycles(2), i}, Cycles(0));
  for (auto next = s.next_event(); crossed.empty(); next = s.next_event()) {
    s.deliver(*next, crossed);
    s.arbitrate(*next, started);
  }
  // The first comes out at cycle 12 and stays there; those that began to cross at 2, 4 ... 10 stop after it.
  EXPECT_EQ(started.size(), 6u);
  EXPECT_FALSE(s.next_event());
  s.taken(1, Cycles(1000));
  const auto arrivals = run(s, long_time);
  ASSERT_EQ(arrivals.size(), 15u);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(arrivals[i].packet.cargo, int(i) + 1);

    EXPECT_EQ(arrivals[i].cycle, Cycles(1000 + 2 * (int(i) + 1)));
  }
}

TEST(PacketSwitch, AQueueIsFullForOneOutputOnly) {
  Switch s({.bytes_per_cycle = 512, .crossing_latency = Cycles(10), .queue_packets = 2}, 3);
  s.push({0, 1, Cycles(1), 0}, Cycles(0));
  EXPECT_TRUE(s.room(0, 1));
  s.push({0, 1, Cycles(1), 1}, Cycles(0));
  EXPECT_FALSE(s.room(0, 1));
  EXPECT_TRUE(s.room(0, 2));
  EXPECT_TRUE(s.room(1, 1));
}

RC_GTEST_PROP(PacketSwitch, InputsThatAlwaysSendGetEqualSharesOfAnOutput, ()) {
  const int senders = *rc::gen::inRange(2, 9);
  const int occupancy = *rc::gen::inRange(1, 5);
  Switch s({.bytes_per_cycle = 512, .crossing_latency = Cycles(*rc::gen::inRange(0, 20)), .queue_packets = 1000},
           senders + 1);
  for (int i = 0; i < 60; ++i) {
    for (int input = 0; input < senders; ++input) s.push({input, senders, Cycles(occupancy), i}, Cycles(0));
  }
  std::vector<int> carried(std::size_t(senders), 0);
  for (const Arrival& arrival : run(s, long_time)) {
    ++carried[std::size_t(arrival.packet.source)];
    const auto [least, most] = std::ranges::minmax(carried);
    RC_ASSERT(most - least <= 1);
  }
}

RC_GTEST_PROP(PacketSwitch, LosesAndDuplicatesNothingAndKeepsTheOrderOfAPair, ()) {
  const int ports = *rc::gen::inRange(1, 10);
  Switch s({.bytes_per_cycle = 512, .crossing_latency = Cycles(*rc::gen::inRange(0, 12)), .queue_packets = 3}, ports);
  std::map<std::pair<int, int>, int> sent, received;
  std::set<int> blocked;
  std::vector<Switch::Packet> crossed, started;
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  const auto below = [&random](int limit) { return int(random() % unsigned(limit)); };
  Cycles now;
  int left = 400;
  while (true) {
    // A few packets arrive if there is room.
    for (int i = below(4); i > 0 && left > 0; --i) {
      const int source = below(ports), destination = below(ports);
      if (!s.room(source, destination)) continue;
      s.push({source, destination, Cycles(1 + below(4)), sent[{source, destination}]++}, now);
      --left;
    }
    crossed.clear();
    s.deliver(now, crossed);
    for (const Switch::Packet& packet : crossed) {
      RC_ASSERT(blocked.insert(packet.destination).second);  // a blocked output gives nothing
      const int number = received[{packet.source, packet.destination}]++;
      RC_ASSERT(number == packet.cargo);
    }
    const auto taken = blocked;
    for (const int output : taken) {
      if (below(3) != 0) continue;
      s.taken(output, now);
      blocked.erase(output);
    }
    s.arbitrate(now, started);
    if (left == 0 && blocked.empty() && !s.next_event()) break;
    now += Cycles(1);
    RC_ASSERT(now < long_time);
  }
  RC_ASSERT(sent == received);
}

}  // namespace
}  // namespace podsim::noc::chip_switch
