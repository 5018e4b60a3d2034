// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "noc/faults.h"
#include "noc/topology.h"

/// Plans routes through a slice with dead links. They consist only of dimension-order routes, so that the routing stays
/// as free of deadlock as without faults.
///
/// The planner tries in this order: the preferred route; dimension-order routes in other directions around rings,
/// fewest hops first; two dimension-order routes in sequence; several of them along a shortest path of living links. In
/// a plan with several legs the chip at the end of each leg relays the message: software receives all of it and sends
/// it on, so that no buffer of the network waits for the next leg.
namespace podsim::noc {

class RoutePlanner {
 public:
  using Legs = std::vector<Coordinates>;  ///< signed hops of each leg in order; at least one leg

  /// With `row_and_column_only`, a chip reaches only its own row and column (the chips that differ in one coordinate),
  /// as with a multipod's routing tables; a route with a turn then takes one leg per dimension.
  RoutePlanner(const Topology& topology, const Faults& faults, bool row_and_column_only = false);

  /// Plans a route to the node at the end of `preferred`, which must not run over an open edge. std::nullopt if no
  /// living links lead there.
  std::optional<Legs> plan(NodeId from, const Coordinates& preferred);

 private:
  bool alive(NodeId from, const Coordinates& hops) const;
  /// The living dimension-order route with the fewest hops.
  std::optional<Coordinates> direct(NodeId from, NodeId to) const;
  std::optional<Legs> detour(NodeId from, NodeId to) const;
  std::optional<Legs> relayed(NodeId from, NodeId to) const;
  std::optional<Legs> along_shortest_path(NodeId from, NodeId to) const;
  Legs by_dimension(const Coordinates& hops) const;

  Topology topology_;
  Faults faults_;
  bool row_and_column_only_;
  std::map<std::pair<NodeId, NodeId>, std::optional<Legs>> detours_;
};

/// Number of links of a route.
int hop_count(const Coordinates& hops);

}  // namespace podsim::noc
