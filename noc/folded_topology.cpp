// SPDX-License-Identifier: Apache-2.0
#include "noc/folded_topology.h"

#include <cassert>
#include <cstdint>

namespace podsim::noc {

namespace {

Topology quotient(const Topology& full, const std::vector<bool>& folded) {
  assert(int(folded.size()) == full.dimensions());
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  for (int d = 0; d < full.dimensions(); ++d) {
    assert(!folded[d] || FoldedTopology::can_fold(full, d));
    sizes.push_back(folded[d] ? 1 : full.size(d));
    wraps.push_back(full.wraps(d));
  }
  return Topology(std::move(sizes), std::move(wraps), folded[0] ? 0 : full.pod_length());
}

}  // namespace

FoldedTopology::FoldedTopology(Topology full)
    : full_(std::move(full)), folded_(std::size_t(full_.dimensions()), false), representatives_(full_) {}

FoldedTopology::FoldedTopology(Topology full, std::vector<bool> folded)
    : full_(std::move(full)), folded_(std::move(folded)), representatives_(quotient(full_, folded_)) {}

bool FoldedTopology::can_fold(const Topology& topology, int dimension) {
  bool pod_boundary = dimension == 0 && topology.pod_length() != 0;
  return topology.wraps(dimension) && topology.size(dimension) > 1 && !pod_boundary;
}

FoldedTopology FoldedTopology::fold_all(Topology full) {
  std::vector<bool> folded;
  for (int d = 0; d < full.dimensions(); ++d) folded.push_back(can_fold(full, d));
  return FoldedTopology(std::move(full), std::move(folded));
}

FoldedTopology FoldedTopology::to_one(Topology full) {
  const auto dimensions = std::size_t(full.dimensions());
  Topology one(std::vector<std::int64_t>(dimensions, 1), std::vector<bool>(dimensions, true));
  return FoldedTopology(std::move(full), std::vector<bool>(dimensions, true), std::move(one));
}

NodeId FoldedTopology::representative_of(NodeId full_node) const {
  Coordinates position = full_.coordinates(full_node);
  for (int d = 0; d < full_.dimensions(); ++d) {
    if (folded_[d]) position[d] = 0;
  }
  return representatives_.node(position);
}

NodeId FoldedTopology::full_node_of(NodeId representative) const {
  return full_.node(representatives_.coordinates(representative));
}

std::string to_string(const FoldedTopology& topology) {
  std::string full = to_string(topology.full());
  return topology.is_folded() ? full + " folded to " + to_string(topology.representatives()) : full;
}

}  // namespace podsim::noc
