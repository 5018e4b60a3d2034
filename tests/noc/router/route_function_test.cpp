// SPDX-License-Identifier: Apache-2.0
#include "noc/router/route_function.h"

#include <gtest/gtest.h>

namespace podsim::noc::router {
namespace {

/// The channels that a packet may take on each of its links along dimension 0, from node 0.
std::vector<std::uint64_t> channels(const Topology& topology, VcClasses classes, int hops) {
  RouteFunction route(topology, 4, classes, 1);
  Packet packet{};
  packet.hops[0] = std::int16_t(hops);
  std::vector<std::uint64_t> masks;
  int port = route.first_local_port();
  for (int i = 0; i < hops; ++i) {
    const RouteFunction::Step step = route.next(NodeId(i), port, packet);
    masks.push_back(step.vcs);
    port = step.port;
  }
  return masks;
}

// A line has no cycle of channels, so no class of them needs to be kept apart.
TEST(RouteFunction, OnlyRingsSplitTheirChannels) {
  for (const VcClasses classes : {VcClasses::destination, VcClasses::dateline, VcClasses::none}) {
    EXPECT_EQ(channels(Topology({8}, {false}), classes, 3), (std::vector<std::uint64_t>{15, 15, 15}));
  }
  EXPECT_EQ(channels(Topology({8}, {true}), VcClasses::dateline, 3), (std::vector<std::uint64_t>{3, 3, 3}));
}

}  // namespace
}  // namespace podsim::noc::router
