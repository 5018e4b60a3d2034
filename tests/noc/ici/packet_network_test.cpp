// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/packet_network.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/diagnostic.h"
#include "base/systemc/fresh_context.h"
#include "noc/ici/message_fabric.h"
#include "tests/noc/network_bench.h"

namespace podsim::noc::ici {
namespace {

using base::Bytes;
using base::Time;

IciParameters tpu_v3() {
  return {.link_rate = base::Bandwidth(82e9),
          .payload_fraction = 0.854,
          .hop_latency = base::Duration(300e-9),
          .remote_dma_latency = base::Duration(700e-9),
          .cross_pod_latency = base::Duration(250e-9),
          .switch_crossing = base::Duration(0)};
}

struct Messages : NetworkBench<MessageFabric> {
  explicit Messages(const Topology& topology) : NetworkBench(topology.nodes(), topology, tpu_v3()) {}
};
struct Packets : NetworkBench<PacketNetwork> {
  explicit Packets(const Topology& topology, const IciParameters& ici = tpu_v3(),
                   const PacketNetworkOptions& options = {})
      : NetworkBench(topology.nodes(), topology, ici, options) {}
};

// Each plan once on either level, in separate simulations.
Time message_level(const Topology& topology, const std::vector<Planned>& plan) {
  const base::systemc::FreshContext context;
  Messages bench(topology);
  bench.plan = plan;
  sc_core::sc_start();
  return bench.last();
}

Time packet_level(const Topology& topology, const std::vector<Planned>& plan, const IciParameters& ici = tpu_v3()) {
  const base::systemc::FreshContext context;
  Packets bench(topology, ici);
  bench.plan = plan;
  sc_core::sc_start();
  bench.fabric.check();
  for (const auto& [tag, times] : bench.times_received) EXPECT_EQ(times, 1) << tag;
  EXPECT_EQ(bench.received.size(), plan.size());
  EXPECT_EQ(bench.taken.size(), plan.size());
  EXPECT_EQ(bench.fabric.routers().audit(), "");
  // No link has carried more than its rate allows: a flit per cycle.
  const double cycles = double(bench.last().value()) * 1e-12 * bench.fabric.clock().frequency().si();
  for (LinkId link = 0; link < topology.link_ids(); ++link) {
    EXPECT_LE(double(bench.fabric.routers().link_flits(link)), cycles + 1);
  }
  return bench.last();
}

double ratio(Time a, Time b) { return double(a.value()) / double(b.value()); }

TEST(PacketNetwork, AtZeroLoadAMessageTakesWhatItTakesAtMessageLevelAndTheWayInAndOut) {
  const Topology torus({4, 4}, {true, true});
  for (std::int64_t bytes : {512, 65536, 1 << 20}) {
    for (const Coordinates& hops : {Coordinates{1}, Coordinates{2, -1}, Coordinates{0, 2}}) {
      const std::vector<Planned> plan{{Time(0), 5, {.hops = hops, .bytes = Bytes(bytes)}}};
      const Time messages = message_level(torus, plan), packets = packet_level(torus, plan);
      // Pipeline and local channels: seven cycles of 430 ps; a flit of header for each link; rounding of the hop.
      EXPECT_GE(packets, messages);
      EXPECT_LE(packets - messages, Time(10 * 430)) << bytes << " bytes";
    }
  }
}

TEST(PacketNetwork, BulkTransfersOverSharedLinksTakeWhatTheyTakeAtMessageLevel) {
  // All chips of an open row send to its last chip, the worst possible sharing.
  const Topology row({5}, {false});
  std::vector<Planned> plan;
  for (NodeId node = 0; node < 4; ++node) {
    plan.push_back({Time(0), node, {.hops = {4 - node}, .bytes = Bytes(1 << 20), .tag = std::uint64_t(node)}});
  }
  EXPECT_NEAR(ratio(packet_level(row, plan), message_level(row, plan)), 1, 0.02);
}

TEST(PacketNetwork, ARingOfNeighboursRunsAllLinksAtThePayloadRate) {
  const Topology torus({4, 4}, {true, true});
  std::vector<Planned> plan;
  std::uint64_t tag = 0;
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    for (const Coordinates& hops : {Coordinates{1}, Coordinates{-1}, Coordinates{0, 1}, Coordinates{0, -1}}) {
      plan.push_back({Time(0), node, {.hops = hops, .bytes = Bytes(1 << 18), .tag = tag++}});
    }
  }
  // 256 KiB at 70.028 GB/s and a hop.
  const double expected = (1 << 18) / (82e9 * 0.854) + 300e-9;
  EXPECT_NEAR(double(packet_level(torus, plan).value()) * 1e-12 / expected, 1, 0.005);
}

/// 200 messages of up to 30 kB from random chips to random chips within 2 us.
std::vector<Planned> random_messages(const Topology& torus, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Planned> plan;
  for (std::uint64_t tag = 0; tag < 200; ++tag) {
    const NodeId from = NodeId(random() % 12), to = NodeId(random() % 12);
    plan.push_back({Time(std::int64_t(tag) * 10000),
                    from,
                    {.hops = torus.offset(from, to), .bytes = Bytes(1 + random() % 30000), .tag = tag}});
  }
  return plan;
}

TEST(PacketNetwork, RandomMessagesAllArriveAtTheRightChipWithinAFewPercentOfTheMessageLevel) {
  const Topology torus({4, 3}, {true, true});
  const std::vector<Planned> plan = random_messages(torus, 7);
  IciParameters fair = tpu_v3();
  fair.packet.vc_buffer = Bytes(49152);
  fair.packet.router.vcs = 4;
  fair.packet.router.buffer_flits = 1536;
  fair.packet.router.arbitration = router::Arbitration::fair;
  EXPECT_NEAR(ratio(packet_level(torus, plan, fair), message_level(torus, plan)), 1, 0.1);
}

// Packets in transit go before those that enter, so that the last message of a crowd enters later than in a fair
// network.
TEST(PacketNetwork, TheLastOfRandomMessagesIsWithinATenthOfTheMessageLevelOnTheMean) {
  const Topology torus({4, 3}, {true, true});
  constexpr unsigned seeds = 20;
  double sum = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const std::vector<Planned> plan = random_messages(torus, seed);
    sum += ratio(packet_level(torus, plan), message_level(torus, plan));
  }
  EXPECT_NEAR(sum / seeds, 1, 0.1);
}

TEST(PacketNetwork, AMessageIsTakenWhenTheNodeHasSentItAndDeliveredWhenItIsWhole) {
  Packets bench(Topology({2}, {false}), tpu_v3());
  bench.plan = {{Time(0), 0, {.hops = {1}, .bytes = Bytes(51200), .tag = 1}}};
  sc_core::sc_start();
  // 100 packets of 17 flits, one flit per cycle; the node begins at once.
  const Time all = bench.fabric.clock().time_of(base::Cycles(1700));
  EXPECT_NEAR(double(bench.taken.at(1).when.value()), double(all.value()), 1000);
  EXPECT_GE(bench.received.at(1).when, all + Time(300000));
}

TEST(PacketNetwork, AMessageToItselfArrivesAtOnceAndAnEmptyOneTakesAPacket) {
  Packets bench(Topology({2}, {false}), tpu_v3());
  bench.plan = {{Time(10), 0, {.hops = {}, .bytes = Bytes(1000), .tag = 1}},
                {Time(20), 0, {.hops = {1}, .bytes = Bytes(0), .tag = 2}}};
  sc_core::sc_start();
  EXPECT_EQ(bench.received.at(1).when, Time(10));
  EXPECT_EQ(bench.received.at(1).node, 0);
  EXPECT_EQ(bench.received.at(2).node, 1);
  EXPECT_NEAR(double(bench.received.at(2).when.value()), 300e3, 5e3);
}

TEST(PacketNetwork, APodBoundaryAddsItsLatencyAndKeepsTheRate) {
  Packets bench(Topology({4}, {false}, 2), tpu_v3());
  bench.plan = {{Time(0), 1, {.hops = {1}, .bytes = Bytes(1 << 20), .tag = 1}}};
  sc_core::sc_start();
  const double expected = (1 << 20) / (82e9 * 0.854) + 550e-9;
  EXPECT_NEAR(double(bench.received.at(1).when.value()) * 1e-12 / expected, 1, 0.01);
}

TEST(PacketNetwork, MemoryFollowsThePacketsUnderWayAndNotTheMessages) {
  Packets bench(Topology({2}, {false}), tpu_v3());
  for (std::uint64_t tag = 0; tag < 4; ++tag) {
    bench.plan.push_back({Time(0), 0, {.hops = {1}, .bytes = Bytes(1 << 20), .tag = tag}});
  }
  sc_core::sc_start();
  EXPECT_EQ(bench.received.size(), 4u);
  // 8192 packets; those between sender and receiver fit into the buffers of a local channel and a link.
  EXPECT_LE(bench.fabric.routers().packet_capacity(), 8u * 49152 / 544 + 8);
}

TEST(PacketNetwork, ARoutingThatCanDeadlockIsRefusedWithItsRing) {
  IciParameters ici = tpu_v3();
  ici.packet.router.vc_classes = router::VcClasses::none;
  try {
    PacketNetwork network("network", Topology({4, 2}, {true, false}), ici);
    FAIL() << "a ring without dateline was accepted";
  } catch (const base::SimulationError& error) {
    const std::string text = error.what();
    for (const char* channel : {"(0,0)x+ -> (1,0)x+", "(2,0)x+ -> (3,0)x+", "(3,0)x+ -> (0,0)x+"}) {
      EXPECT_NE(text.find(channel), std::string::npos) << text;
    }
  }
}

TEST(PacketNetwork, ARunThatDeadlocksAllTheSameEndsAndNamesTheBuffers) {
  IciParameters ici = tpu_v3();
  ici.packet.router.vc_classes = router::VcClasses::none;
  ici.packet.router.vcs = 1;
  ici.packet.router.buffer_flits = 17;  // a packet
  const Topology ring({4}, {true});
  for (router::Switching switching : {router::Switching::virtual_cut_through, router::Switching::wormhole}) {
    const base::systemc::FreshContext context;
    ici.packet.router.switching = switching;
    Packets bench(ring, ici, {.refuse_cycles = false});
    for (NodeId node = 0; node < ring.nodes(); ++node) {
      bench.plan.push_back({Time(0), node, {.hops = {2}, .bytes = Bytes(65536), .tag = std::uint64_t(node)}});
    }
    sc_core::sc_start();
    try {
      bench.fabric.check();
      FAIL() << "no verdict";
    } catch (const base::SimulationError& error) {
      const std::string text = error.what();
      for (const char* buffer : {"(0) x+ vc0", "(1) x+ vc0", "(2) x+ vc0", "(3) x+ vc0"}) {
        EXPECT_NE(text.find(buffer), std::string::npos) << text;
      }
    }
  }
}

Faults faults(const Topology& topology, std::initializer_list<std::string_view> texts) {
  std::vector<Fault> list;
  for (std::string_view text : texts) list.push_back(parse_fault(text));
  return Faults(topology, list);
}

TEST(PacketNetwork, WithADeadLinkEveryPairStillReachesEachOtherTheOtherWayAround) {
  const Topology torus({4, 4}, {true, true});
  Packets bench(torus, tpu_v3(), PacketNetworkOptions{.faults = faults(torus, {"dead-link:(0,0)x+"})});
  std::uint64_t tag = 0;
  std::map<std::uint64_t, NodeId> expected;
  for (NodeId from = 0; from < torus.nodes(); ++from) {
    for (NodeId to = 0; to < torus.nodes(); ++to) {
      expected[tag] = to;
      bench.plan.push_back({Time(0), from, {.hops = torus.offset(from, to), .bytes = Bytes(2000), .tag = tag++}});
    }
  }
  sc_core::sc_start();
  bench.fabric.check();
  for (const auto& [message, to] : expected) EXPECT_EQ(bench.received.at(message).node, to) << message;
  EXPECT_EQ(bench.fabric.routers().link_flits(torus.link_id(0, 0, 1)), 0);
  EXPECT_EQ(bench.fabric.messages_relayed(), 0);
}

TEST(PacketNetwork, WhereNoRouteOfTheDimensionOrderIsLeftSoftwareSendsTheMessageOn) {
  const Topology mesh({3, 2}, {false, false});
  Packets bench(mesh, tpu_v3(), PacketNetworkOptions{.faults = faults(mesh, {"dead-link:(0,0)x+"})});
  bench.plan = {{Time(0), 0, {.hops = {2}, .bytes = Bytes(1000), .tag = 1}}};
  sc_core::sc_start();
  EXPECT_EQ(bench.received.at(1).node, 2);
  EXPECT_EQ(bench.fabric.messages_relayed(), 1);
  // y+, x+, x+, y- are four hops, with 700 ns of software in between.
  EXPECT_NEAR(double(bench.received.at(1).when.value()), 4 * 300e3 + 700e3 + 2 * 1000 / 70.0 * 1e3, 20e3);
}

TEST(PacketNetwork, APairWithoutLivingLinksIsTheVerdict) {
  const Topology line({3}, {false});
  Packets bench(line, tpu_v3(), PacketNetworkOptions{.faults = faults(line, {"dead-link:(1)x+"})});
  bench.plan = {{Time(0), 0, {.hops = {2}, .bytes = Bytes(1000), .tag = 1}}};
  sc_core::sc_start();
  try {
    bench.fabric.check();
    FAIL() << "no verdict";
  } catch (const base::SimulationError& error) {
    EXPECT_STREQ(error.what(), "chip (0) cannot reach chip (2): no living links join them");
  }
}

TEST(PacketNetwork, ASlowLinkTakesItsShareOfTheRateAndBitErrorsTakeRoundTrips) {
  const Topology line({2}, {false});
  const auto time_with = [&](std::initializer_list<std::string_view> texts) {
    const base::systemc::FreshContext context;
    Packets bench(line, tpu_v3(), PacketNetworkOptions{.faults = faults(line, texts)});
    bench.plan = {{Time(0), 0, {.hops = {1}, .bytes = Bytes(1 << 20), .tag = 1}}};
    sc_core::sc_start();
    return std::pair(bench.last(), bench.fabric.routers().link_retries(0));
  };
  const auto healthy = time_with({}), slow = time_with({"slow-link:(0)x+:0.5"}),
             errors = time_with({"bit-errors:1e-6"});
  EXPECT_NEAR(ratio(slow.first, healthy.first), 2, 0.03);
  // 34816 flits of 256 bits: 8.9 are expected to be damaged, and each costs a round trip of 0.6 us.
  EXPECT_GT(errors.second, 0);
  EXPECT_LT(errors.second, 25);
  EXPECT_GE(errors.first, healthy.first + Time(errors.second * 500000));
}

TEST(PacketNetwork, WithRowsAndColumnsOnlyAMessageWithATurnIsRelayedAtTheTurn) {
  IciParameters ici = tpu_v3();
  ici.packet.row_and_column_only = true;
  Packets bench(Topology({3, 3}, {false, false}), ici);
  bench.plan = {{Time(0), 0, {.hops = {2, 1}, .bytes = Bytes(1000), .tag = 1}},
                {Time(0), 0, {.hops = {0, 2}, .bytes = Bytes(1000), .tag = 2}}};
  sc_core::sc_start();
  EXPECT_EQ(bench.fabric.messages_relayed(), 1);
  EXPECT_EQ(bench.received.at(1).node, 5);
  EXPECT_EQ(bench.received.at(2).node, 6);
}

TEST(PacketNetwork, HasLinksWhoseFlitsCanBeCounted) {
  const base::systemc::FreshContext context;
  const Topology pair({2}, {false});
  IciParameters ici = tpu_v3();
  ici.link_rate = base::Bandwidth(1e14);  // 1e14 B/s * 0.854 * 544 / 512 / 32 B = 2.8e12 flits a second
  EXPECT_THROW(Packets(pair, ici), base::InputError);
  ici.link_rate = base::Bandwidth(1e13);
  EXPECT_NO_THROW(Packets(pair, ici));
  ici.link_rate = base::Bandwidth(1e-3);
  EXPECT_THROW(Packets(pair, ici), base::InputError);
}

}  // namespace
}  // namespace podsim::noc::ici
