// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "noc/topology.h"

/// Synthetic traffic: the destinations of the packets of a network's nodes.
namespace podsim::noc::router {

enum class Pattern : std::uint8_t {
  uniform,     ///< all nodes with the same probability, including the sender
  transpose,   ///< (a, b, ...) to (..., b, a); the sizes must read the same backwards
  tornado,     ///< ceil(size / 2) - 1 further along every dimension, wrapping around
  neighbor,    ///< one further along every dimension, wrapping around
  hotspot,     ///< one packet in ten to node 0, the others uniform
  all_to_all,  ///< every other node in turn, starting with the next one
};

/// Direction around a ring of a packet whose destination is halfway around it.
enum class TieBreak : std::uint8_t { random, positive };

std::string_view to_string(Pattern pattern);
std::string_view to_string(TieBreak ties);

/// Returns why a topology cannot have this traffic, as a sentence; empty if it can.
std::string pattern_problem(Pattern pattern, const Topology& topology);

class TrafficPattern {
 public:
  TrafficPattern(const Topology& topology, Pattern pattern, TieBreak ties, std::uint64_t seed);

  /// Next destination of a node.
  NodeId destination(NodeId source);
  /// Hops of the shortest route between two nodes, with ties as configured.
  Coordinates hops(NodeId from, NodeId to);
  /// A uniformly distributed number from 0 to count - 1.
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  /// True with probability threshold / 2^64.
  bool happens(std::uint64_t threshold) { return random_() < threshold; }

 private:
  NodeId permuted(NodeId source) const;

  Topology topology_;
  Pattern pattern_;
  TieBreak ties_;
  std::mt19937_64 random_;
  std::vector<Coordinates> coordinates_;
  std::vector<NodeId> partner_;     ///< fixed destination, for patterns that have one
  std::vector<std::int32_t> turn_;  ///< for all_to_all: distance to the last destination
};

}  // namespace podsim::noc::router
