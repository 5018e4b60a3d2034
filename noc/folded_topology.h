// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "noc/topology.h"

/// A topology seen up to translation along some of its wrapped dimensions.
///
/// When every participant behaves the same under translation along a wrapped dimension, the traffic is invariant under
/// that translation too, and so is the queue of every link. One coordinate then stands for all: the representatives
/// form a topology of size 1 along a folded dimension, where the neighbour is the node itself and one link stands for
/// its translates. A message that goes h hops along a folded dimension queues h times at that one link, exactly as one
/// of its translates does at every link of the ring at that time. Times are equal to the unfolded ones to the
/// picosecond.
///
/// Because a position along a folded dimension has no meaning, messages are addressed by signed hops, not by node.
namespace podsim::noc {

class FoldedTopology {
 public:
  /// Nothing folded.
  FoldedTopology(Topology full);  // NOLINT(google-explicit-constructor): a topology is its own trivial fold
  /// Folded along the dimensions marked in `folded`, each of which must satisfy can_fold.
  FoldedTopology(Topology full, std::vector<bool> folded);

  /// Wrapped, more than one chip, and every link along it alike.
  static bool can_fold(const Topology& topology, int dimension);
  /// Folded along every dimension that allows it.
  static FoldedTopology fold_all(Topology full);

  const Topology& full() const { return full_; }
  /// The quotient: sizes 1 and wrapped along folded dimensions.
  const Topology& representatives() const { return representatives_; }
  bool folded(int dimension) const { return folded_[dimension]; }
  bool is_folded() const { return representatives_.nodes() != full_.nodes(); }
  NodeId representative_of(NodeId full_node) const;
  /// A full node that the representative stands for: coordinate 0 along folded dimensions.
  NodeId full_node_of(NodeId representative) const;

 private:
  Topology full_;
  std::vector<bool> folded_;
  Topology representatives_;
};

/// "128x32", or "128x32 folded to 128x1".
std::string to_string(const FoldedTopology& topology);

}  // namespace podsim::noc
