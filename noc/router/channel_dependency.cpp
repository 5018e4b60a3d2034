// SPDX-License-Identifier: Apache-2.0
#include "noc/router/channel_dependency.h"

#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <cstdlib>
#include <vector>

#include "noc/router/route_function.h"

namespace podsim::noc::router {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Channel = std::size_t;  // 2 link + class

// Records the first cycle that a depth-first search closes.
class CycleFinder : public boost::default_dfs_visitor {
 public:
  CycleFinder(std::vector<Channel>& parents, std::vector<Channel>& cycle) : parents_(parents), cycle_(cycle) {}
  void tree_edge(Graph::edge_descriptor edge, const Graph& graph) {
    parents_[target(edge, graph)] = source(edge, graph);
  }
  void back_edge(Graph::edge_descriptor edge, const Graph& graph) {
    if (!cycle_.empty()) return;
    const Channel first = target(edge, graph);
    for (Channel at = source(edge, graph); at != first; at = parents_[at]) cycle_.push_back(at);
    cycle_.push_back(first);
  }

 private:
  std::vector<Channel>& parents_;
  std::vector<Channel>& cycle_;
};

class Dependences {
 public:
  Dependences(const Topology& topology, const RouterParameters& router, const Faults& faults)
      : topology_(topology),
        faults_(faults),
        routes_(topology, router.vcs, router.vc_classes, 1),
        graph_(std::size_t(topology.link_ids()) * 2),
        next_(std::size_t(topology.link_ids()) * 2),
        first_(std::size_t(topology.link_ids())),
        last_(first_.size()) {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (int d = 0; d < topology_.dimensions(); ++d) walk_from(node, d);
    }
    for (NodeId node = 0; node < topology_.nodes(); ++node) join_dimensions(node);
  }

  std::string cycle() const {
    std::vector<Channel> parents(next_.size()), cycle;
    boost::depth_first_search(graph_, boost::visitor(CycleFinder(parents, cycle)));
    if (cycle.empty()) return "";
    std::string text = name(cycle.back());
    for (std::size_t i = cycle.size(); i-- > 0;) text += " -> " + name(cycle[(i + cycle.size() - 1) % cycle.size()]);
    return text;
  }

 private:
  // All routes along one dimension that begin at a node.
  void walk_from(NodeId node, int d) {
    const std::int32_t size = topology_.size(d);
    const std::int32_t from = topology_.coordinates(node)[d];
    for (std::int32_t to = 0; to < size; ++to) {
      if (to == from) continue;
      if (!topology_.wraps(d)) {
        walk(node, d, to - from);
        continue;
      }
      const std::int32_t forward = (to - from + size) % size;
      const bool both = 2 * forward == size || faults_.any_dead();
      if (2 * forward <= size || both) walk(node, d, forward);
      if (2 * forward > size || both) walk(node, d, forward - size);
    }
  }

  void walk(NodeId node, int d, std::int32_t hops) {
    const int direction = hops < 0 ? -1 : 1;
    const std::int32_t size = topology_.size(d);
    const std::int32_t from = topology_.coordinates(node)[d];
    const std::int32_t to = (from + hops + size) % size;
    std::int32_t at = from;
    std::vector<Channel> channels;
    for (std::int32_t left = std::abs(hops); left > 0; --left) {
      const LinkId link = topology_.link_id(node, d, direction);
      if (faults_.dead(link)) return;
      channels.push_back(std::size_t(link) * 2 + std::size_t(routes_.vc_class(d, direction, from, at, to)));
      node = *topology_.neighbour(node, d, direction);
      at = (at + direction + size) % size;
    }
    for (std::size_t i = 1; i < channels.size(); ++i) depend(channels[i - 1], channels[i]);
    first_[channels.front() / 2] |= std::uint8_t(1 << channels.front() % 2);
    last_[channels.back() / 2] |= std::uint8_t(1 << channels.back() % 2);
  }

  // Adds a dependence along a dimension, where a channel is followed by one link.
  void depend(Channel before, Channel after) {
    const auto bit = std::uint8_t(1 << after % 2);
    if ((next_[before] & bit) != 0) return;
    next_[before] |= bit;
    add_edge(before, after, graph_);
  }

  // A packet may end a dimension at any node and begin any later one.
  void join_dimensions(NodeId node) {
    for (int port = 0; port < 2 * topology_.dimensions(); ++port) {
      const int direction = port % 2 == 0 ? 1 : -1;
      const auto before = topology_.neighbour(node, port / 2, -direction);
      if (!before) continue;
      for (Channel in : channels(topology_.link_id(*before, port / 2, direction), last_)) {
        for (int next = (port / 2 + 1) * 2; next < 2 * topology_.dimensions(); ++next) {
          for (Channel out : channels(topology_.link_id(node, next / 2, next % 2 == 0 ? 1 : -1), first_)) {
            add_edge(in, out, graph_);
          }
        }
      }
    }
  }

  static std::vector<Channel> channels(LinkId link, const std::vector<std::uint8_t>& classes) {
    std::vector<Channel> result;
    for (std::size_t c = 0; c < 2; ++c) {
      if ((classes[link] >> c & 1) != 0) result.push_back(std::size_t(link) * 2 + c);
    }
    return result;
  }

  std::string name(Channel channel) const {
    const Link link = *topology_.link(LinkId(channel / 2));
    const std::string text =
        topology_.name(link.from) + dimension_name(link.dimension) + (link.direction > 0 ? "+" : "-");
    if (routes_.classes(link.dimension) == 1) return text;
    return text + (channel % 2 == 0 ? " lower" : " upper");
  }

  const Topology& topology_;
  const Faults& faults_;
  RouteFunction routes_;
  Graph graph_;
  std::vector<std::uint8_t> next_;          // by channel: classes of the next link that it depends on
  std::vector<std::uint8_t> first_, last_;  // by link: classes in which routes begin and end on it
};

}  // namespace

std::string dependency_cycle(const Topology& topology, const RouterParameters& router, const Faults& faults) {
  return Dependences(topology, router, faults).cycle();
}

}  // namespace podsim::noc::router
