// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "noc/topology.h"

/// A topology folded along some of its wrapped dimensions.
///
/// If every chip behaves the same under translation along a wrapped dimension, the traffic is invariant under that
/// translation too, and so is the queue of every link. One coordinate then stands for all: the representatives form a
/// topology of size 1 along a folded dimension, in which the neighbour of a node is the node itself and one link stands
/// for its translates. A message of h hops along a folded dimension queues h times at that link, just as its translates
/// queue at the links of the ring at those times. Times equal the unfolded ones to the picosecond.
///
/// A position along a folded dimension has no meaning, so messages are addressed by signed hops, not by node.
namespace podsim::noc {

class FoldedTopology {
 public:
  /// Without folding.
  FoldedTopology(Topology full);  // NOLINT(google-explicit-constructor): a topology is its own trivial fold
  /// Folded along the dimensions marked in `folded`, each of which must satisfy can_fold.
  FoldedTopology(Topology full, std::vector<bool> folded);

  /// Returns whether a dimension is wrapped, has more than one chip, and all its links are alike.
  static bool can_fold(const Topology& topology, int dimension);
  /// Folded along every dimension that allows it.
  static FoldedTopology fold_all(Topology full);
  /// One node for all, also along dimensions that cannot fold: no longer exact, and without messages.
  static FoldedTopology to_one(Topology full);

  const Topology& full() const { return full_; }
  /// The folded topology: size 1 and wrapped along folded dimensions.
  const Topology& representatives() const { return representatives_; }
  bool folded(int dimension) const { return folded_[dimension]; }
  bool is_folded() const { return representatives_.nodes() != full_.nodes(); }
  NodeId representative_of(NodeId full_node) const;
  /// The full node with coordinate 0 along folded dimensions that the representative stands for.
  NodeId full_node_of(NodeId representative) const;

 private:
  FoldedTopology(Topology full, std::vector<bool> folded, Topology representatives)
      : full_(std::move(full)), folded_(std::move(folded)), representatives_(std::move(representatives)) {}

  Topology full_;
  std::vector<bool> folded_;
  Topology representatives_;
};

/// "128x32", or "128x32 folded to 128x1".
std::string to_string(const FoldedTopology& topology);

}  // namespace podsim::noc
