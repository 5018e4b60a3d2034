// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Chips on an n-dimensional grid, each dimension open (a mesh) or wrapped (a torus), and the routes between them.
namespace podsim::noc {

inline constexpr int max_dimensions = 6;

/// Nodes are numbered densely with the first dimension fastest.
using NodeId = std::int32_t;
/// Directed links are numbered 2 D node + 2 dimension + (direction < 0), where D is the number of dimensions. Ids
/// beyond an open edge are unused.
using LinkId = std::int32_t;
/// One value per dimension, zero beyond the topology's dimensions: a position, or signed hops.
using Coordinates = std::array<std::int32_t, max_dimensions>;

struct Link {
  LinkId id = 0;
  NodeId from = 0;
  NodeId to = 0;
  int dimension = 0;
  int direction = 1;  ///< +1 or -1
  bool operator==(const Link&) const = default;
};

class Topology {
 public:
  /// `wraps` has one value per size. `pod_length` is the number of chips of one pod along the first dimension, or 0 if
  /// the grid is within one pod. Sizes are at least 1; a wrapped dimension of size 1 joins a node to itself.
  Topology(std::vector<std::int64_t> sizes, std::vector<bool> wraps, std::int64_t pod_length = 0);

  int dimensions() const { return int(sizes_.size()); }
  std::int32_t size(int dimension) const { return sizes_[dimension]; }
  bool wraps(int dimension) const { return wraps_[dimension]; }
  std::int64_t pod_length() const { return pod_length_; }
  NodeId nodes() const { return nodes_; }
  /// One more than the largest LinkId.
  LinkId link_ids() const { return nodes_ * 2 * dimensions(); }
  /// Number of directed links that leave a node.
  int links_from(NodeId node) const;

  Coordinates coordinates(NodeId node) const;
  NodeId node(const Coordinates& coordinates) const;
  /// The node one hop away; std::nullopt beyond an open edge.
  std::optional<NodeId> neighbour(NodeId node, int dimension, int direction) const;
  LinkId link_id(NodeId from, int dimension, int direction) const {
    return (from * dimensions() + dimension) * 2 + (direction < 0);
  }
  /// The link with this id; std::nullopt for an unused id.
  std::optional<Link> link(LinkId id) const;
  /// Returns whether a link joins two pods.
  bool crosses_pod(LinkId id) const;

  /// Signed hops per dimension from one node to another, in the shorter direction around a wrapped dimension; in the
  /// positive direction if both are equal.
  Coordinates offset(NodeId from, NodeId to) const;
  /// The node at the end of `hops`, which may go around wrapped dimensions and must not run over an open edge.
  NodeId end(NodeId from, const Coordinates& hops) const;
  /// The links from `from` along `hops`, dimension 0 first. Must not run over an open edge.
  std::vector<Link> route(NodeId from, Coordinates hops) const;
  /// The dimension-order route, minimal in hops.
  std::vector<Link> route(NodeId from, NodeId to) const { return route(from, offset(from, to)); }

  /// "(3,0)"
  std::string name(NodeId node) const;
  bool operator==(const Topology&) const = default;

 private:
  std::vector<std::int32_t> sizes_;
  std::vector<bool> wraps_;
  std::int64_t pod_length_;
  NodeId nodes_;
};

/// "x", "y", "z", "w", then "d4", "d5".
std::string dimension_name(int dimension);
/// "128x32"
std::string to_string(const Topology& topology);

}  // namespace podsim::noc
