// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "noc/faults.h"
#include "noc/topology.h"

/// Ways through a slice with dead links, out of dimension-order routes only, so that the routing stays as free of
/// deadlock as it is without faults.
///
/// In this order: the way that was asked for; other ways around rings, fewest hops first; two dimension-order routes
/// one after the other; several of them along a shortest path of living links. Where a plan has more than one leg, the
/// chip at the end of each relays the message: software takes it whole and sends it on, so that no buffer of the
/// network waits for the next leg.
namespace podsim::noc {

class RoutePlanner {
 public:
  using Legs = std::vector<Coordinates>;  ///< hops, signed, one after the other; at least one

  /// With `row_and_column_only` a chip knows its own row and column (the chips that differ in one coordinate), as a
  /// multipod's routing tables do; a way with a turn takes a leg per dimension.
  RoutePlanner(const Topology& topology, const Faults& faults, bool row_and_column_only = false);

  /// How to go these hops; nullopt when no living links lead there. `preferred` must not run over an open edge.
  std::optional<Legs> plan(NodeId from, const Coordinates& preferred);

 private:
  bool alive(NodeId from, const Coordinates& hops) const;
  /// The dimension-order route of fewest hops that is alive.
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

/// Links of a way.
int hop_count(const Coordinates& hops);

}  // namespace podsim::noc
