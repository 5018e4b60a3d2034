// SPDX-License-Identifier: Apache-2.0
#include "noc/router/router_network.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace podsim::noc::router {
namespace {

RouterNetworkParameters parameters_for(const Topology& topology, ChannelParameters link = {.latency = 2}) {
  RouterNetworkParameters parameters;
  parameters.links.assign(std::size_t(topology.link_ids()), link);
  return parameters;
}

int total(const Coordinates& hops) {
  int sum = 0;
  for (std::int32_t h : hops) sum += std::abs(h);
  return sum;
}

// Cycles from sending one packet into an empty network to its arrival.
Cycle latency_of(RouterNetwork& network, NodeId from, const Coordinates& hops, int flits) {
  const Cycle begin = network.now();
  network.send(from, hops, flits);
  for (Cycle i = 0; i < 100000; ++i) {
    network.step();
    if (!network.delivered().empty()) return network.now() - 1 - begin;
  }
  return -1;
}

TEST(RouterNetwork, AnEmptyTorusTakesSevenCyclesAndSixPerLinkOfTwoCycles) {
  const Topology torus({8, 8}, {true, true});
  RouterNetwork network(torus, parameters_for(torus));
  for (NodeId to = 0; to < torus.nodes(); ++to) {
    const Coordinates hops = torus.offset(27, to);
    EXPECT_EQ(latency_of(network, 27, hops, 1), 7 + 6 * total(hops));
  }
}

TEST(RouterNetwork, AnEmptyTorusTakesSevenCyclesAndFivePerLinkOfOneCycle) {
  const Topology torus({8, 8}, {true, true});
  RouterNetwork network(torus, parameters_for(torus, {.latency = 1}));
  for (NodeId to = 0; to < torus.nodes(); ++to) {
    const Coordinates hops = torus.offset(0, to);
    EXPECT_EQ(latency_of(network, 0, hops, 1), 7 + 5 * total(hops));
  }
}

Topology any_topology(int min_wrapped = 1) {
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  for (int d = 0, dimensions = *rc::gen::inRange(1, 4); d < dimensions; ++d) {
    sizes.push_back(*rc::gen::inRange(min_wrapped, 6));
    wraps.push_back(*rc::gen::arbitrary<bool>());
  }
  return Topology(sizes, wraps);
}

RouterNetworkParameters any_parameters(const Topology& topology, int flits) {
  RouterNetworkParameters parameters = parameters_for(topology, {.latency = *rc::gen::inRange(1, 70)});
  RouterParameters& router = parameters.router;
  router.vcs = *rc::gen::inRange(2, 6);
  router.switching = *rc::gen::element(Switching::wormhole, Switching::virtual_cut_through);
  router.buffer_flits = *rc::gen::inRange(1, 12) + (router.switching == Switching::virtual_cut_through ? flits : 0);
  router.allocation = *rc::gen::element(Allocation::islip, Allocation::round_robin);
  router.iterations = *rc::gen::inRange(1, 4);
  router.vc_classes = *rc::gen::element(VcClasses::destination, VcClasses::dateline);
  router.route_cycles = *rc::gen::inRange(0, 4);
  router.vc_cycles = *rc::gen::inRange(1, 4);
  router.switch_cycles = *rc::gen::inRange(1, 4);
  router.traversal_cycles = *rc::gen::inRange(1, 4);
  parameters.local_latency = *rc::gen::inRange(0, 4);
  parameters.local_ports = *rc::gen::element(1, 2 * topology.dimensions());
  return parameters;
}

// The law of the header, for any stage delays and channels, with buffers that cover a round trip.
RC_GTEST_PROP(RouterNetworkProperty, AnEmptyNetworkTakesWhatItsStagesAndChannelsAddUpTo, ()) {
  const Topology topology = any_topology();
  const int flits = *rc::gen::inRange(1, 20);
  RouterNetworkParameters parameters = any_parameters(topology, flits);
  parameters.router.vcs = *rc::gen::inRange(1, 10);  // a packet alone needs no classes
  parameters.router.buffer_flits = 500;
  RouterNetwork network(topology, parameters);
  const NodeId from = *rc::gen::inRange(0, topology.nodes()), to = *rc::gen::inRange(0, topology.nodes());
  const Coordinates hops = topology.offset(from, to);
  const int h = total(hops);
  RC_ASSERT(latency_of(network, from, hops, flits) == 2 * (parameters.local_latency + 1) - 1 +
                                                          (h + 1) * parameters.router.pipeline_cycles() +
                                                          h * parameters.links[0].latency + flits - 1);
}

// Follows every flit through every buffer: packets leave a virtual channel in the order in which they came, each whole
// before the next.
class OrderCheck : public RouterObserver {
 public:
  void buffered(Cycle, NodeId node, int port, int vc, PacketId packet, int) override {
    buffers_[{node, port, vc}].push_back(packet);
  }
  void left(Cycle, NodeId node, int port, int vc, int, int, PacketId packet, int) override {
    auto& buffer = buffers_[{node, port, vc}];
    in_order = in_order && !buffer.empty() && buffer.front() == packet;
    if (!buffer.empty()) buffer.pop_front();
  }
  bool in_order = true;

 private:
  std::map<std::tuple<NodeId, int, int>, std::deque<PacketId>> buffers_;
};

RC_GTEST_PROP(RouterNetworkProperty, PacketsArriveOnceInOrderAndFlitsAndCreditsAddUpInEveryCycle, ()) {
  const Topology topology = any_topology();
  const int max_flits = *rc::gen::inRange(1, 9);
  RouterNetworkParameters parameters = any_parameters(topology, max_flits);
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  const auto below = [&](std::uint32_t count) { return int(random() % count); };
  for (ChannelParameters& link : parameters.links) {
    link = {.latency = 1 + below(6),
            .cycles_per_flit = std::array{1.0, 1.0, 1.7, 3.0}[std::size_t(below(4))],
            .flit_error_rate = below(3) == 0 ? 0.1 : 0.0};
  }
  RouterNetwork network(topology, parameters);
  OrderCheck order;
  network.observe(&order);
  std::map<std::uint64_t, NodeId> expected;  // packets in flight, by tag
  std::uint64_t sent = 0;
  const int packets = *rc::gen::inRange(1, 400);
  for (Cycle cycle = 0; cycle < 200000 && (int(sent) < packets || network.in_flight() > 0); ++cycle) {
    for (int burst = below(4); burst > 0 && int(sent) < packets; --burst) {
      const NodeId from = below(std::uint32_t(topology.nodes())), to = below(std::uint32_t(topology.nodes()));
      network.send(from, topology.offset(from, to), 1 + below(std::uint32_t(max_flits)), sent);
      expected[sent++] = to;
    }
    const int steps = int(sent) < packets ? 1 + below(10) : 200;
    for (int i = 0; i < steps; ++i) {
      network.step();
      RC_ASSERT(!network.stuck());
      for (PacketId id : network.delivered()) {
        const Packet& packet = network.packet(id);
        RC_ASSERT(expected.count(packet.tag) == 1u);
        RC_ASSERT(expected.at(packet.tag) == packet.destination);
        RC_ASSERT(packet.ejected == packet.flits);
        expected.erase(packet.tag);
      }
    }
    RC_ASSERT(network.audit() == "");
  }
  RC_ASSERT(expected.empty());
  RC_ASSERT(order.in_order);
  RC_ASSERT(network.flits_sent() == network.flits_received());
}

// Skipping idle cycles must not change anything: the same packets, one network stepped through every cycle.
RC_GTEST_PROP(RouterNetworkProperty, SkippingToTheNextEventGivesTheSameArrivals, ()) {
  const Topology topology = any_topology();
  const RouterNetworkParameters parameters = any_parameters(topology, 4);
  struct Plan {
    Cycle when;
    NodeId from, to;
    int flits;
  };
  std::vector<Plan> plan;
  Cycle when = 0;
  for (int i = *rc::gen::inRange(1, 30); i > 0; --i) {
    when += *rc::gen::inRange(0, 200);
    plan.push_back({when, *rc::gen::inRange(0, topology.nodes()), *rc::gen::inRange(0, topology.nodes()),
                    *rc::gen::inRange(1, 5)});
  }
  const auto arrivals = [&](bool skip) {
    RouterNetwork network(topology, parameters);
    std::multiset<std::pair<Cycle, std::uint64_t>> seen;
    std::size_t next = 0;
    while (network.now() < when + 20000) {
      for (; next < plan.size() && plan[next].when <= network.now(); ++next) {
        const Plan& p = plan[next];
        network.send(p.from, topology.offset(p.from, p.to), p.flits, next);
      }
      if (skip) {
        const Cycle due = next < plan.size() ? plan[next].when : when + 20000;
        const Cycle event = network.next_event();
        const Cycle until = event < 0 ? due : std::min(due, event);
        if (until > network.now()) {
          network.skip_to(until);
          continue;
        }
      }
      network.step();
      for (PacketId id : network.delivered()) seen.insert({network.now(), network.packet(id).tag});
    }
    return seen;
  };
  const auto all = arrivals(false);
  RC_ASSERT(all.size() == plan.size());
  RC_ASSERT(arrivals(true) == all);
}

TEST(RouterNetwork, ALinkCarriesItsRateAndNotMore) {
  const Topology line({2}, {false});
  for (double period : {1.0, 1.25, 1.5, 3.7}) {
    RouterNetworkParameters parameters = parameters_for(line, {.latency = 2, .cycles_per_flit = period});
    parameters.router.buffer_flits = 64;
    parameters.router.switching = Switching::virtual_cut_through;
    RouterNetwork network(line, parameters);
    for (int i = 0; i < 1000; ++i) network.send(0, {1}, 16);
    const int cycles = 5000;
    for (int i = 0; i < cycles; ++i) {
      network.step();
      ASSERT_LE(double(network.link_flits(0)), double(i + 1) / period + 1);
    }
    // Two virtual channels take turns, so that route and allocation of one packet hide behind the other's flits.
    EXPECT_GE(double(network.link_flits(0)), 0.99 * double(cycles) / period);
  }
}

// Counts how many flits leave a node by a port while one waits in a virtual channel of an input.
class Turns : public RouterObserver {
 public:
  Turns(NodeId node, int input_port, int vcs) : node_(node), input_port_(input_port), channels_(std::size_t(vcs)) {}
  void buffered(Cycle, NodeId node, int port, int vc, PacketId, int) override {
    if (node != node_ || port != input_port_) return;
    Channel& channel = channels_[std::size_t(vc)];
    if (channel.flits++ == 0) channel.passed = 0;
  }
  void left(Cycle, NodeId node, int port, int vc, int, int, PacketId, int) override {
    if (node != node_ || port != input_port_) return;
    int waiting = 0;
    for (Channel& channel : channels_) {
      waiting += channel.flits > 0 ? 1 : 0;
      if (channel.flits > 0) max_passed = std::max(max_passed, ++channel.passed);
    }
    max_waiting = std::max(max_waiting, waiting);
    channels_[std::size_t(vc)].passed = 0;
    --channels_[std::size_t(vc)].flits;
  }
  int max_passed = 0;   ///< with the flit that waited
  int max_waiting = 0;  ///< virtual channels with flits at a time

 private:
  struct Channel {
    int flits = 0, passed = 0;
  };
  NodeId node_;
  int input_port_;
  std::vector<Channel> channels_;
};

// By round robin, a flit at the front of a virtual channel is the n-th of n channels at the latest. Its route and its
// channel are found while at most one more leaves, since the link behind takes a flit in eight cycles.
TEST(RouterNetwork, VirtualChannelsOfAnInputTakeTurns) {
  const Topology line({3}, {false});
  for (const int vcs : {2, 3, 5}) {
    RouterNetworkParameters parameters = parameters_for(line);
    parameters.links[line.link_id(1, 0, 1)].cycles_per_flit = 8;
    parameters.router.vcs = vcs;
    parameters.router.buffer_flits = 40;
    RouterNetwork network(line, parameters);
    for (int i = 0; i < 4 * vcs; ++i) network.send(0, {2}, 40);
    Turns turns(1, 0, vcs);
    network.observe(&turns);
    for (Cycle cycle = 0; cycle < 100000 && network.in_flight() > 0; ++cycle) network.step();
    ASSERT_EQ(network.in_flight(), 0U);
    EXPECT_EQ(turns.max_waiting, vcs);
    EXPECT_LE(turns.max_passed, vcs + 1);
  }
}

TEST(RouterNetwork, VirtualCutThroughKeepsAPacketInOneBufferWhenTheNextIsTaken) {
  // A slow second link: with wormhole switching the head moves on and the tail stays; with cut-through packets wait
  // whole.
  const Topology line({3}, {false});
  RouterNetworkParameters parameters = parameters_for(line);
  parameters.links[line.link_id(1, 0, 1)].cycles_per_flit = 1000;
  parameters.router.buffer_flits = 8;
  const auto flits_on_first_link = [&](Switching switching) {
    parameters.router.switching = switching;
    parameters.router.vcs = 1;
    RouterNetwork network(line, parameters);
    for (int i = 0; i < 3; ++i) network.send(0, {2}, 5);
    for (int i = 0; i < 500; ++i) network.step();
    return network.link_flits(line.link_id(0, 0, 1));
  };
  EXPECT_EQ(flits_on_first_link(Switching::virtual_cut_through), 5);  // room for 3 more is not enough for the second
  EXPECT_EQ(flits_on_first_link(Switching::wormhole), 9);             // one has left again, eight fill the buffer
}

TEST(RouterNetwork, ARingWithoutClassesStandsStillAndNamesTheBuffers) {
  const Topology ring({4}, {true});
  RouterNetworkParameters parameters = parameters_for(ring);
  parameters.router.vcs = 1;
  parameters.router.buffer_flits = 2;
  parameters.router.vc_classes = VcClasses::none;
  RouterNetwork network(ring, parameters);
  for (NodeId node = 0; node < 4; ++node) {
    for (int i = 0; i < 4; ++i) network.send(node, {2}, 8);
  }
  for (int i = 0; i < 2000 && !network.stuck(); ++i) network.step();
  ASSERT_TRUE(network.stuck());
  const std::string cycle = network.waiting_cycle();
  for (const char* buffer : {"(0) x+ vc0", "(1) x+ vc0", "(2) x+ vc0", "(3) x+ vc0"}) {
    EXPECT_NE(cycle.find(buffer), std::string::npos) << cycle;
  }
  EXPECT_EQ(network.audit(), "");
}

TEST(RouterNetwork, WithEitherKindOfClassesTheSameRingFinishes) {
  const Topology ring({4}, {true});
  for (VcClasses classes : {VcClasses::destination, VcClasses::dateline}) {
    RouterNetworkParameters parameters = parameters_for(ring);
    parameters.router.buffer_flits = 2;
    parameters.router.vc_classes = classes;
    RouterNetwork network(ring, parameters);
    for (NodeId node = 0; node < 4; ++node) {
      for (int i = 0; i < 50; ++i) network.send(node, {2}, 8);
    }
    for (int i = 0; i < 50000 && network.in_flight() > 0; ++i) network.step();
    EXPECT_EQ(network.in_flight(), 0u) << to_string(classes);
  }
}

TEST(RouterNetwork, ALinkThatErrsRepeatsItselfAndLosesNothing) {
  const Topology line({2}, {false});
  RouterNetworkParameters parameters = parameters_for(line, {.latency = 5, .flit_error_rate = 0.05});
  parameters.router.buffer_flits = 64;
  RouterNetwork network(line, parameters);
  for (int i = 0; i < 500; ++i) network.send(0, {1}, 10);
  Cycle cycles = 0;
  for (; network.in_flight() > 0 && cycles < 100000; ++cycles) network.step();
  EXPECT_EQ(network.flits_received(), 5000);
  // 5000 flits, each damaged with probability 1/20: 5000 / 19 repetitions are expected, with a deviation of 17.
  EXPECT_NEAR(double(network.link_retries(0)), 5000.0 / 19, 5 * 17);
  EXPECT_GE(cycles, 5000 + 12 * network.link_retries(0));  // a round trip each
}

}  // namespace
}  // namespace podsim::noc::router
