// SPDX-License-Identifier: Apache-2.0
#include "noc/router/traffic_pattern.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::noc::router {

std::string_view to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::uniform:
      return "uniform";
    case Pattern::transpose:
      return "transpose";
    case Pattern::tornado:
      return "tornado";
    case Pattern::neighbor:
      return "neighbor";
    case Pattern::hotspot:
      return "hotspot";
    case Pattern::all_to_all:
      return "all-to-all";
  }
  return "";
}

std::string_view to_string(TieBreak ties) { return ties == TieBreak::random ? "random" : "positive"; }

std::string pattern_problem(Pattern pattern, const Topology& topology) {
  if (pattern == Pattern::all_to_all && topology.nodes() == 1) return "a node alone has nobody to send to";
  if (pattern != Pattern::transpose) return "";
  for (int d = 0; d < topology.dimensions(); ++d) {
    if (topology.size(d) == topology.size(topology.dimensions() - 1 - d)) continue;
    return fmt::format("a grid of {} has no transpose", noc::to_string(topology));
  }
  return "";
}

TrafficPattern::TrafficPattern(const Topology& topology, Pattern pattern, TieBreak ties, std::uint64_t seed)
    : topology_(topology), pattern_(pattern), ties_(ties), random_(seed) {
  for (NodeId node = 0; node < topology.nodes(); ++node) coordinates_.push_back(topology.coordinates(node));
  for (NodeId node = 0; node < topology.nodes(); ++node) partner_.push_back(permuted(node));
  turn_.assign(std::size_t(topology.nodes()), 0);
}

NodeId TrafficPattern::permuted(NodeId source) const {
  const Coordinates from = coordinates_[source];
  Coordinates to = from;
  const int dimensions = topology_.dimensions();
  for (int d = 0; d < dimensions; ++d) {
    const std::int32_t size = topology_.size(d);
    if (pattern_ == Pattern::transpose) to[d] = from[dimensions - 1 - d];
    if (pattern_ == Pattern::tornado) to[d] = (from[d] + (size + 1) / 2 - 1) % size;
    if (pattern_ == Pattern::neighbor) to[d] = (from[d] + 1) % size;
  }
  return topology_.node(to);
}

NodeId TrafficPattern::destination(NodeId source) {
  const auto nodes = std::uint64_t(topology_.nodes());
  switch (pattern_) {
    case Pattern::hotspot:
      if (below(10) == 0) return 0;
      return NodeId(below(nodes));
    case Pattern::uniform:
      return NodeId(below(nodes));
    case Pattern::all_to_all:
      turn_[source] = turn_[source] % (topology_.nodes() - 1) + 1;
      return (source + turn_[source]) % topology_.nodes();
    default:
      return partner_[source];
  }
}

Coordinates TrafficPattern::hops(NodeId from, NodeId to) {
  Coordinates result{};
  for (int d = 0; d < topology_.dimensions(); ++d) {
    std::int32_t hops = coordinates_[to][d] - coordinates_[from][d];
    const std::int32_t size = topology_.size(d);
    if (topology_.wraps(d)) {
      if (hops < 0) hops += size;
      const bool tie = 2 * hops == size;
      if (2 * hops > size || (tie && ties_ == TieBreak::random && below(2) == 0)) hops -= size;
    }
    result[d] = hops;
  }
  return result;
}

}  // namespace podsim::noc::router
