// SPDX-License-Identifier: Apache-2.0
#include "noc/router/flit_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>
#include <vector>

#include "noc/router/router_network.h"

namespace podsim::noc::router {
namespace {

/// A random network with random packets. A seed gives the same case everywhere.
struct StreamCase {
  struct Planned {
    Cycle when = 0;
    NodeId from = 0;
    Coordinates hops{};
    int flits = 1;
  };

  explicit StreamCase(std::uint64_t seed) : random(seed) {
    std::vector<std::int64_t> sizes;
    std::vector<bool> wraps;
    for (int d = 0, dimensions = 1 + below(3); d < dimensions; ++d) {
      sizes.push_back(1 + below(dimensions == 3 ? 3 : 5));
      wraps.push_back(below(2) == 0);
    }
    topology = Topology(sizes, wraps);
    const int max_flits = std::array{4, 17, 40, 200, 3000}[std::size_t(below(5))];
    choose_routers(max_flits);
    choose_links();
    choose_packets(max_flits);
  }

  void choose_routers(int max_flits) {
    RouterParameters& router = network.router;
    router.vcs = 2 + below(4);
    router.switching = below(2) == 0 ? Switching::wormhole : Switching::virtual_cut_through;
    const bool whole = router.switching == Switching::virtual_cut_through;
    router.buffer_flits = 1 + below(below(2) == 0 ? 12 : 100) + (whole ? max_flits : 0);
    router.allocation = below(2) == 0 ? Allocation::islip : Allocation::round_robin;
    router.iterations = 1 + below(3);
    router.arbitration = below(2) == 0 ? Arbitration::fair : Arbitration::rotary;
    router.vc_classes = below(2) == 0 ? VcClasses::destination : VcClasses::dateline;
    router.route_cycles = below(4);
    router.vc_cycles = 1 + below(3);
    router.switch_cycles = 1 + below(3);
    router.traversal_cycles = 1 + below(3);
    network.local_latency = below(4);
    network.local_ports = below(2) == 0 ? 1 : 2 * topology.dimensions();
    network.seed = random();
  }

  void choose_links() {
    const bool healthy = below(3) > 0;
    const int latency = 1 + below(below(2) == 0 ? 5 : 300);
    for (LinkId link = 0; link < topology.link_ids(); ++link) {
      ChannelParameters channel{.latency = healthy ? latency : 1 + below(8)};
      if (!healthy && below(4) == 0) channel.cycles_per_flit = 1.7;
      if (!healthy && below(6) == 0) channel.flit_error_rate = 0.05;
      if (!healthy && below(6) == 0) channel.stall_rate = 0.3;
      network.links.push_back(channel);
    }
  }

  // Bursts of packets of like lengths, most of them to one neighbour, so that many meet no other and many do.
  void choose_packets(int max_flits) {
    Cycle when = 0;
    for (int left = 1 + below(60); left > 0; --left) {
      if (below(3) == 0) when += below(200);
      const NodeId from = below(int(topology.nodes())), to = below(int(topology.nodes()));
      const int flits = below(3) == 0 ? 1 + below(max_flits) : max_flits;
      for (int burst = 1 + below(4); burst > 0; --burst)
        packets.push_back({when, from, topology.offset(from, to), flits});
    }
  }

  int below(int end) { return int(random() % std::uint64_t(end)); }

  std::mt19937_64 random;
  Topology topology{{1}, {false}};
  RouterNetworkParameters network;
  std::vector<Planned> packets;
};

/// All visible events of a network: arrivals and departures with their cycles, and counters at some cycles.
struct Seen {
  std::vector<std::tuple<Cycle, char, std::uint64_t>> packets;
  std::vector<std::int64_t> counters;
  std::size_t events = 0;  ///< cycles in which something happened
  bool operator==(const Seen& other) const { return packets == other.packets && counters == other.counters; }
};

Seen observed(StreamCase test, bool streams) {
  test.network.streams = streams;
  RouterNetwork network(test.topology, test.network);
  Seen seen;
  std::mt19937_64 random(7);
  Cycle next_look = 0;
  std::size_t next = 0;
  while (next < test.packets.size() || network.in_flight() > 0) {
    for (; next < test.packets.size() && test.packets[next].when <= network.now(); ++next) {
      network.send(test.packets[next].from, test.packets[next].hops, test.packets[next].flits, next);
    }
    if (network.now() >= next_look) {
      EXPECT_EQ(network.audit(), "");
      seen.counters.insert(seen.counters.end(), {network.now(), network.flit_hops(), network.flits_sent(),
                                                 network.flits_received(), std::int64_t(network.in_flight())});
      for (LinkId link = 0; link < test.topology.link_ids(); ++link) {
        seen.counters.push_back(network.link_flits(link));
        seen.counters.push_back(network.link_retries(link));
      }
      next_look += 1 + Cycle(random() % 300);
    }
    const Cycle due = next < test.packets.size() ? std::min(test.packets[next].when, next_look) : next_look;
    const Cycle event = network.next_event();
    if (event < 0 || event > due) {
      if (due > network.now()) network.skip_to(due);
      if (event < 0) {
        EXPECT_TRUE(network.in_flight() == 0 || next < test.packets.size()) << "nothing will happen";
      }
      if (event != network.now()) continue;
    } else if (event > network.now()) {
      network.skip_to(event);
      continue;
    }
    ++seen.events;
    network.step();
    for (const PacketId id : network.departed()) seen.packets.emplace_back(network.now(), 'd', network.packet(id).tag);
    for (const PacketId id : network.delivered()) seen.packets.emplace_back(network.now(), 'a', network.packet(id).tag);
    if (network.stuck() || ::testing::Test::HasFailure()) {
      ADD_FAILURE() << "stuck in cycle " << network.now();
      break;
    }
  }
  EXPECT_EQ(network.audit(), "");
  return seen;
}

// The oracle is the same network flit by flit.
void expect_same_as_flit_by_flit(std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const StreamCase test(seed);
    const Seen streams = observed(test, true), flits = observed(test, false);
    ASSERT_EQ(streams.packets, flits.packets) << "seed " << seed;
    ASSERT_EQ(streams.counters, flits.counters) << "seed " << seed;
  }
}

TEST(FlitStream, GivesWhatTheNetworkGivesFlitByFlit) { expect_same_as_flit_by_flit(0, 30); }

TEST(FlitStream, GivesWhatTheNetworkGivesFlitByFlitInAThousandCases) { expect_same_as_flit_by_flit(30, 1030); }

TEST(FlitStream, AFlowAloneHasFewerCyclesInWhichAnythingHappens) {
  // Packets longer than a source's turn: while one crosses, nothing else happens for most of its flits.
  StreamCase test(0);
  test.topology = Topology({5}, {false});
  test.network = {};
  test.network.router.buffer_flits = 400;
  test.network.links.assign(std::size_t(test.topology.link_ids()), {.latency = 20});
  test.packets.assign(20, {0, 0, {4}, 200});
  const Seen streams = observed(test, true), flits = observed(test, false);
  EXPECT_TRUE(streams == flits);
  // 20 packets over five routers, each with some ten events at a router and at either end, are 1400 at most.
  EXPECT_LT(streams.events, 1400u);
  EXPECT_GT(flits.events, 4000u);  // one for each flit
}

}  // namespace
}  // namespace podsim::noc::router
