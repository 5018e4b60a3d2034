// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "noc/topology.h"

/// Synthetic traffic: to whom the nodes of a network send.
namespace podsim::noc {

enum class Pattern : std::uint8_t {
  uniform,     ///< every node alike, the sender included
  transpose,   ///< (a, b, ...) to (..., b, a); the sizes must read the same backwards
  tornado,     ///< ceil(size / 2) - 1 further along every dimension, around
  neighbor,    ///< one further along every dimension, around
  hotspot,     ///< one packet in ten to node 0, the others uniform
  all_to_all,  ///< every other node in turn, beginning with the next one
};

/// Which way around a ring a packet goes whose destination lies half way around.
enum class Ties : std::uint8_t { random, positive };

std::string_view to_string(Pattern pattern);
std::string_view to_string(Ties ties);

/// Why there is no such traffic on this network, as a sentence; empty when there is.
std::string pattern_problem(Pattern pattern, const Topology& topology);

class TrafficPattern {
 public:
  TrafficPattern(const Topology& topology, Pattern pattern, Ties ties, std::uint64_t seed);

  /// To whom a node sends next.
  NodeId destination(NodeId source);
  /// The shortest way between two nodes, ties as chosen.
  Coordinates hops(NodeId from, NodeId to);
  /// Uniform from 0 on below `count`.
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  /// True once in 2^64 / threshold times.
  bool happens(std::uint64_t threshold) { return random_() < threshold; }

 private:
  NodeId permuted(NodeId source) const;

  Topology topology_;
  Pattern pattern_;
  Ties ties_;
  std::mt19937_64 random_;
  std::vector<Coordinates> coordinates_;
  std::vector<NodeId> partner_;     ///< of patterns with a fixed one
  std::vector<std::int32_t> turn_;  ///< all_to_all: the distance to the one whose turn it is
};

}  // namespace podsim::noc
