// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace podsim::sw::operators {

/// An undirected graph with weights of vertices and edges.
struct WeightedGraph {
  std::vector<double> weights = {};  ///< by vertex, at least 0
  /// By vertex: its neighbours and the weight of the edge to each, at least 0. Every edge is in the lists of both ends.
  std::vector<std::vector<std::pair<int, double>>> edges = {};
};

}  // namespace podsim::sw::operators
