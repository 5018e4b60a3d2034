// SPDX-License-Identifier: Apache-2.0
#include "noc/route_plan.h"
#include "tests/noc/faults_of.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <queue>

namespace podsim::noc {
namespace {

using Legs = RoutePlanner::Legs;

TEST(RoutePlanner, AHealthyWayIsTakenAsItIsAskedFor) {
  const Topology torus({8, 8}, {true, true});
  RoutePlanner planner(torus, faults_of(torus, {"dead-link:(0,0)x+"}));
  EXPECT_EQ(planner.plan(1, {7, 3}), (Legs{{7, 3}}));  // the longer direction, because it was requested
}

TEST(RoutePlanner, ADeadLinkOnARingIsAvoidedTheOtherWayAround) {
  const Topology torus({8, 8}, {true, true});
  RoutePlanner planner(torus, faults_of(torus, {"dead-link:(1,0)x+"}));
  EXPECT_EQ(planner.plan(0, {3, 2}), (Legs{{-5, 2}}));
  EXPECT_EQ(planner.plan(2, {-1}), (Legs{{-1}}));  // the other direction lives
}

TEST(RoutePlanner, AroundADeadChipAtTheTurnItTakesTheOtherWayOrTwoLegs) {
  const Topology mesh({3, 3}, {false, false});
  RoutePlanner planner(mesh, faults_of(mesh, {"dead-chip:(2,0)"}));
  // x then y turns at the dead chip; two dimension-order routes of four hops in all do not.
  const auto legs = planner.plan(0, {2, 2});
  ASSERT_TRUE(legs);
  EXPECT_EQ(legs->size(), 2u);
  EXPECT_EQ(hop_count((*legs)[0]) + hop_count((*legs)[1]), 4);
  EXPECT_FALSE(planner.plan(0, {2, 0}));  // the dead chip itself
}

TEST(RoutePlanner, RowsAndColumnsTakeALegPerDimension) {
  const Topology torus({4, 4}, {true, true});
  RoutePlanner planner(torus, Faults(), true);
  EXPECT_EQ(planner.plan(0, {2, -1}), (Legs{{2}, {0, -1}}));
  EXPECT_EQ(planner.plan(0, {0, 1}), (Legs{{0, 1}}));
}

// Against a search over the living links that does not use dimension order.
RC_GTEST_PROP(RoutePlannerProperty, APlanLeadsThereOverLivingLinksExactlyWhenThereIsAWay, ()) {
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  for (int d = *rc::gen::inRange(1, 4); d > 0; --d) {
    sizes.push_back(*rc::gen::inRange(1, 5));
    wraps.push_back(*rc::gen::arbitrary<bool>());
  }
  const Topology topology(sizes, wraps);
  std::vector<Fault> list;
  for (int i = *rc::gen::inRange(0, 2 * topology.nodes()); i > 0; --i) {
    const auto link = topology.link(*rc::gen::inRange(0, topology.link_ids()));
    if (!link) continue;
    const Coordinates at = topology.coordinates(link->from);
    list.push_back({.kind = Fault::Kind::dead_link,
                    .chip = {at.begin(), at.begin() + topology.dimensions()},
                    .dimension = link->dimension,
                    .direction = link->direction});
  }
  const Faults dead(topology, list);
  const NodeId from = *rc::gen::inRange(0, topology.nodes());
  std::vector<bool> reached(std::size_t(topology.nodes()));
  std::queue<NodeId> frontier({from});
  reached[from] = true;
  while (!frontier.empty()) {
    const NodeId node = frontier.front();
    frontier.pop();
    for (LinkId id = node * 2 * topology.dimensions(); id < (node + 1) * 2 * topology.dimensions(); ++id) {
      const auto link = topology.link(id);
      if (!link || dead.dead(id) || reached[link->to]) continue;
      reached[link->to] = true;
      frontier.push(link->to);
    }
  }
  const bool rows = *rc::gen::arbitrary<bool>();
  RoutePlanner planner(topology, dead, rows);
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    const auto legs = planner.plan(from, topology.offset(from, to));
    RC_ASSERT(legs.has_value() == reached[to]);
    if (!legs) continue;
    NodeId at = from;
    for (const Coordinates& leg : *legs) {
      int turns = 0;
      for (std::int32_t hops : leg) turns += hops != 0;
      RC_ASSERT(!rows || turns <= 1);
      for (const Link& link : topology.route(at, leg)) {
        RC_ASSERT(!dead.dead(link.id));
        at = link.to;
      }
    }
    RC_ASSERT(at == to);
  }
}

}  // namespace
}  // namespace podsim::noc
