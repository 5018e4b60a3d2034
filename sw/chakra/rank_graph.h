// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sw/chakra/execution_trace.h"

namespace podsim::sw::chakra {

/// The dependencies of one rank by index into RankTrace::nodes, in an order in which every node follows what it waits
/// for: of those that could be next, the one that comes first in the file.
class RankGraph {
 public:
  /// The trace outlives the graph. Dependencies on ids that the trace does not have are left out.
  explicit RankGraph(const RankTrace& trace);

  /// The node with an id, the first of several; -1 without one.
  int node_with(std::uint64_t id) const;
  const std::vector<int>& dependencies(int node) const { return dependencies_[std::size_t(node)]; }
  /// All nodes, unless some wait for each other in a circle.
  const std::vector<int>& order() const { return order_; }
  bool has_circle() const { return order_.size() < dependencies_.size(); }
  /// A node on a circle. Precondition: has_circle().
  int node_on_circle() const;
  /// Whether a path of dependencies leads from a node to an earlier one. Precondition: no circle.
  bool waits_for(int node, int earlier) const;

 private:
  void sort();
  void find_prefixes();

  std::unordered_map<std::uint64_t, int> by_id_;
  std::vector<std::vector<int>> dependencies_;  ///< by node
  std::vector<int> order_;
  std::vector<int> place_;   ///< by node: its position in order_
  std::vector<int> prefix_;  ///< by node: it waits for all nodes at positions below
};

}  // namespace podsim::sw::chakra
