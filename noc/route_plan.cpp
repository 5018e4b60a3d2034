// SPDX-License-Identifier: Apache-2.0
#include "noc/route_plan.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <queue>

namespace podsim::noc {

int hop_count(const Coordinates& hops) {
  int count = 0;
  for (std::int32_t h : hops) count += std::abs(h);
  return count;
}

RoutePlanner::RoutePlanner(const Topology& topology, const Faults& faults, bool row_and_column_only)
    : topology_(topology), faults_(faults), row_and_column_only_(row_and_column_only) {}

std::optional<RoutePlanner::Legs> RoutePlanner::plan(NodeId from, const Coordinates& preferred) {
  if (!faults_.any_dead() || alive(from, preferred)) {
    return row_and_column_only_ ? by_dimension(preferred) : Legs{preferred};
  }
  const NodeId to = topology_.end(from, preferred);
  auto [found, fresh] = detours_.try_emplace({from, to});
  if (fresh) found->second = detour(from, to);
  return found->second;
}

bool RoutePlanner::alive(NodeId from, const Coordinates& hops) const {
  if (faults_.dead_chip(from)) return false;
  for (int d = 0; d < topology_.dimensions(); ++d) {
    const int direction = hops[d] < 0 ? -1 : 1;
    for (std::int32_t left = std::abs(hops[d]); left > 0; --left) {
      if (faults_.dead(topology_.link_id(from, d, direction))) return false;
      const auto next = topology_.neighbour(from, d, direction);
      if (!next) return false;
      from = *next;
    }
  }
  return true;
}

std::optional<Coordinates> RoutePlanner::direct(NodeId from, NodeId to) const {
  const Coordinates shortest = topology_.offset(from, to);
  std::vector<Coordinates> routes{shortest};
  for (int d = 0; d < topology_.dimensions(); ++d) {
    if (!topology_.wraps(d) || shortest[d] == 0) continue;
    for (std::size_t i = routes.size(); i-- > 0;) {
      Coordinates other = routes[i];
      other[d] -= shortest[d] > 0 ? topology_.size(d) : -topology_.size(d);
      routes.push_back(other);
    }
  }
  std::ranges::stable_sort(routes, {}, hop_count);
  for (const Coordinates& route : routes) {
    const auto turns = std::ranges::count_if(route, [](std::int32_t h) { return h != 0; });
    if ((!row_and_column_only_ || turns <= 1) && alive(from, route)) return route;
  }
  return std::nullopt;
}

std::optional<RoutePlanner::Legs> RoutePlanner::detour(NodeId from, NodeId to) const {
  if (faults_.dead_chip(from) || faults_.dead_chip(to)) return std::nullopt;
  if (const auto route = direct(from, to)) return Legs{*route};
  if (auto legs = relayed(from, to)) return legs;
  return along_shortest_path(from, to);
}

std::optional<RoutePlanner::Legs> RoutePlanner::relayed(NodeId from, NodeId to) const {
  std::optional<Legs> best;
  int fewest = std::numeric_limits<int>::max();
  for (NodeId middle = 0; middle < topology_.nodes(); ++middle) {
    if (middle == from || middle == to) continue;
    // No living route is shorter than that in a healthy slice.
    if (hop_count(topology_.offset(from, middle)) + hop_count(topology_.offset(middle, to)) >= fewest) continue;
    const auto first = direct(from, middle);
    if (!first) continue;
    const auto second = direct(middle, to);
    if (!second || hop_count(*first) + hop_count(*second) >= fewest) continue;
    fewest = hop_count(*first) + hop_count(*second);
    best = Legs{*first, *second};
  }
  return best;
}

std::optional<RoutePlanner::Legs> RoutePlanner::along_shortest_path(NodeId from, NodeId to) const {
  constexpr LinkId unseen = -1;
  std::vector<LinkId> came_by(std::size_t(topology_.nodes()), unseen);
  std::queue<NodeId> frontier({from});
  while (!frontier.empty() && came_by[to] == unseen) {
    const NodeId node = frontier.front();
    frontier.pop();
    for (int port = 0; port < 2 * topology_.dimensions(); ++port) {
      const LinkId id = node * 2 * topology_.dimensions() + port;
      const auto link = topology_.link(id);
      if (!link || faults_.dead(id) || link->to == from || came_by[link->to] != unseen) continue;
      came_by[link->to] = id;
      frontier.push(link->to);
    }
  }
  if (came_by[to] == unseen) return std::nullopt;
  std::vector<Link> path;
  for (NodeId at = to; at != from; at = path.back().from) path.push_back(*topology_.link(came_by[at]));
  std::ranges::reverse(path);
  Legs legs(1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Link& link = path[i];
    const bool turns = i > 0 && link.dimension != path[i - 1].dimension;
    if (turns && (row_and_column_only_ || link.dimension < path[i - 1].dimension)) legs.emplace_back();
    legs.back()[link.dimension] += link.direction;
  }
  return legs;
}

RoutePlanner::Legs RoutePlanner::by_dimension(const Coordinates& hops) const {
  Legs legs;
  for (int d = 0; d < topology_.dimensions(); ++d) {
    if (hops[d] == 0) continue;
    legs.emplace_back();
    legs.back()[d] = hops[d];
  }
  if (legs.empty()) legs.emplace_back();
  return legs;
}

}  // namespace podsim::noc
