// SPDX-License-Identifier: Apache-2.0
#include "noc/topology.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <queue>

namespace podsim::noc {
namespace {

Topology any_topology() {
  int dimensions = *rc::gen::inRange(1, 4);
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  for (int d = 0; d < dimensions; ++d) {
    sizes.push_back(*rc::gen::inRange(1, 7));
    wraps.push_back(*rc::gen::arbitrary<bool>());
  }
  return Topology(sizes, wraps);
}

// Distances by breadth-first search over the links: an oracle that does not use coordinates.
std::vector<int> distances_from(const Topology& topology, NodeId source) {
  std::vector<int> distance(std::size_t(topology.nodes()), -1);
  std::queue<NodeId> frontier;
  distance[source] = 0;
  frontier.push(source);
  while (!frontier.empty()) {
    NodeId node = frontier.front();
    frontier.pop();
    for (int d = 0; d < topology.dimensions(); ++d) {
      for (int direction : {1, -1}) {
        auto next = topology.neighbour(node, d, direction);
        if (!next || distance[*next] >= 0) continue;
        distance[*next] = distance[node] + 1;
        frontier.push(*next);
      }
    }
  }
  return distance;
}

TEST(Topology, NumbersTheFirstDimensionFastest) {
  Topology topology({4, 3}, {false, true});
  EXPECT_EQ(topology.nodes(), 12);
  EXPECT_EQ(topology.node({3, 2}), 11);
  EXPECT_EQ(topology.name(7), "(3,1)");
  EXPECT_EQ(to_string(topology), "4x3");
}

TEST(Topology, AnOpenEdgeHasNoNeighbourAndAWrappedOneHas) {
  Topology topology({4, 3}, {false, true});
  EXPECT_EQ(topology.neighbour(0, 0, -1), std::nullopt);
  EXPECT_EQ(topology.neighbour(0, 1, -1), 8);
  EXPECT_EQ(topology.links_from(0), 3);
  EXPECT_EQ(topology.links_from(1), 4);
}

TEST(Topology, GoesThePositiveWayAtHalfTheRing) {
  Topology topology({8}, {true});
  EXPECT_EQ(topology.offset(0, 4)[0], 4);
  EXPECT_EQ(topology.offset(4, 0)[0], 4);
  EXPECT_EQ(topology.offset(0, 5)[0], -3);
}

TEST(Topology, OnlyTheLinkBetweenTwoPodsCrosses) {
  Topology topology({128, 2}, {false, true}, 32);
  EXPECT_TRUE(topology.crosses_pod(topology.link_id(31, 0, +1)));
  EXPECT_TRUE(topology.crosses_pod(topology.link_id(32, 0, -1)));
  EXPECT_FALSE(topology.crosses_pod(topology.link_id(31, 0, -1)));
  EXPECT_FALSE(topology.crosses_pod(topology.link_id(31, 1, +1)));
  EXPECT_FALSE(Topology({32}, {true}).crosses_pod(31 * 2));
}

TEST(Topology, EveryLinkHasItsOwnIdAndJoinsNeighbours) {
  Topology topology({3, 2, 2}, {true, false, true});
  for (LinkId id = 0; id < topology.link_ids(); ++id) {
    auto link = topology.link(id);
    if (!link) continue;
    EXPECT_EQ(topology.link_id(link->from, link->dimension, link->direction), id);
    EXPECT_EQ(topology.neighbour(link->to, link->dimension, -link->direction), link->from);
  }
}

RC_GTEST_PROP(Topology, RoutesAreConnectedMinimalAndInDimensionOrder, ()) {
  Topology topology = any_topology();
  NodeId from = *rc::gen::inRange(0, int(topology.nodes()));
  NodeId to = *rc::gen::inRange(0, int(topology.nodes()));
  auto route = topology.route(from, to);
  RC_ASSERT(int(route.size()) == distances_from(topology, from)[to]);
  NodeId at = from;
  int dimension = 0;
  for (const Link& link : route) {
    RC_ASSERT(link.from == at);
    RC_ASSERT(link.dimension >= dimension);
    dimension = link.dimension;
    at = link.to;
  }
  RC_ASSERT(at == to);
}

RC_GTEST_PROP(Topology, CoordinatesAndNumbersAreInverse, ()) {
  Topology topology = any_topology();
  NodeId node = *rc::gen::inRange(0, int(topology.nodes()));
  RC_ASSERT(topology.node(topology.coordinates(node)) == node);
}

}  // namespace
}  // namespace podsim::noc
