// SPDX-License-Identifier: Apache-2.0
#include "noc/topology.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdlib>
#include <numeric>

namespace podsim::noc {

Topology::Topology(std::vector<std::int64_t> sizes, std::vector<bool> wraps, std::int64_t pod_length)
    : sizes_(sizes.begin(), sizes.end()), wraps_(std::move(wraps)), pod_length_(pod_length), nodes_(1) {
  assert(!sizes_.empty() && sizes_.size() == wraps_.size() && int(sizes_.size()) <= max_dimensions);
  for (std::int32_t size : sizes_) {
    assert(size >= 1);
    nodes_ *= size;
  }
}

int Topology::links_from(NodeId node) const {
  int links = 0;
  for (int d = 0; d < dimensions(); ++d) {
    links += neighbour(node, d, +1).has_value();
    links += neighbour(node, d, -1).has_value();
  }
  return links;
}

Coordinates Topology::coordinates(NodeId node) const {
  assert(node >= 0 && node < nodes_);
  Coordinates result{};
  for (int d = 0; d < dimensions(); ++d) {
    result[d] = node % sizes_[d];
    node /= sizes_[d];
  }
  return result;
}

NodeId Topology::node(const Coordinates& coordinates) const {
  NodeId result = 0;
  for (int d = dimensions() - 1; d >= 0; --d) {
    assert(coordinates[d] >= 0 && coordinates[d] < sizes_[d]);
    result = result * sizes_[d] + coordinates[d];
  }
  return result;
}

std::optional<NodeId> Topology::neighbour(NodeId node, int dimension, int direction) const {
  Coordinates position = coordinates(node);
  std::int32_t next = position[dimension] + direction;
  if (next < 0 || next >= sizes_[dimension]) {
    if (!wraps_[dimension]) return std::nullopt;
    next = (next + sizes_[dimension]) % sizes_[dimension];
  }
  position[dimension] = next;
  return this->node(position);
}

std::optional<Link> Topology::link(LinkId id) const {
  assert(id >= 0 && id < link_ids());
  Link result{.id = id,
              .from = id / (2 * dimensions()),
              .to = 0,
              .dimension = (id / 2) % dimensions(),
              .direction = id % 2 == 0 ? 1 : -1};
  auto to = neighbour(result.from, result.dimension, result.direction);
  if (!to) return std::nullopt;
  result.to = *to;
  return result;
}

bool Topology::crosses_pod(LinkId id) const {
  if (pod_length_ == 0) return false;
  auto crossing = link(id);
  if (!crossing || crossing->dimension != 0) return false;
  return coordinates(crossing->from)[0] / pod_length_ != coordinates(crossing->to)[0] / pod_length_;
}

Coordinates Topology::offset(NodeId from, NodeId to) const {
  Coordinates a = coordinates(from), b = coordinates(to), result{};
  for (int d = 0; d < dimensions(); ++d) {
    std::int32_t hops = b[d] - a[d];
    if (wraps_[d]) {
      std::int32_t forward = (hops + sizes_[d]) % sizes_[d];
      hops = 2 * forward <= sizes_[d] ? forward : forward - sizes_[d];
    }
    result[d] = hops;
  }
  return result;
}

NodeId Topology::end(NodeId from, const Coordinates& hops) const {
  Coordinates at = coordinates(from);
  for (int d = 0; d < dimensions(); ++d) at[d] = ((at[d] + hops[d]) % sizes_[d] + sizes_[d]) % sizes_[d];
  return node(at);
}

std::vector<Link> Topology::route(NodeId from, Coordinates hops) const {
  std::vector<Link> result;
  for (int d = 0; d < dimensions(); ++d) {
    int direction = hops[d] < 0 ? -1 : 1;
    for (std::int32_t hop = 0; hop < std::abs(hops[d]); ++hop) {
      auto next = link(link_id(from, d, direction));
      assert(next && "a route ran over an open edge");
      result.push_back(*next);
      from = next->to;
    }
  }
  return result;
}

std::string Topology::name(NodeId node) const {
  Coordinates position = coordinates(node);
  return fmt::format("({})", fmt::join(position.begin(), position.begin() + dimensions(), ","));
}

std::string dimension_name(int dimension) {
  static constexpr std::string_view letters = "xyzw";
  return dimension < int(letters.size()) ? std::string(1, letters[dimension]) : fmt::format("d{}", dimension);
}

std::string to_string(const Topology& topology) {
  std::vector<std::int32_t> sizes;
  for (int d = 0; d < topology.dimensions(); ++d) sizes.push_back(topology.size(d));
  return fmt::format("{}", fmt::join(sizes, "x"));
}

}  // namespace podsim::noc
