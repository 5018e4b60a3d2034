// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/modulo_graph.h"

#include <algorithm>
#include <numeric>

namespace podsim::sw::codegen::schedule {

namespace {

/// Returns the latency from a pair's push to its pop.
int pair_distance(const DependenceGraph& graph, const FifoPair& pair) {
  int distance = 0;
  for (const Dependence& d : graph.from(pair.push)) {
    if (d.to == pair.pop && d.distance == 0) distance = std::max(distance, d.latency);
  }
  return distance;
}

}  // namespace

ModuloGraph::ModuloGraph(const DependenceGraph& graph)
    : group_(std::size_t(graph.nodes())), offset_(group_.size()), groups_(0) {
  std::vector<int> push_of(group_.size(), -1);
  for (const FifoPair& pair : graph.pairs) {
    push_of[std::size_t(pair.pop)] = pair.push;
    offset_[std::size_t(pair.pop)] = pair_distance(graph, pair);
  }
  for (int node = 0; node < graph.nodes(); ++node) {
    const int push = push_of[std::size_t(node)];
    if (push < 0) {
      group_[std::size_t(node)] = groups();
      members_.emplace_back();
    } else {
      group_[std::size_t(node)] = group_of(push);
    }
    if (node < graph.operations()) members_[std::size_t(group_of(node))].push_back({node, offset_of(node)});
  }
  groups_ = DependenceGraph(groups());
  for (const Dependence& d : graph.dependences()) {
    const int from = group_of(d.from), to = group_of(d.to);
    const int latency = d.latency + offset_of(d.from) - offset_of(d.to);
    if (from == to && d.distance == 0) continue;
    groups_.add(from, to, latency, d.distance);
  }
  groups_.index();
}

std::optional<std::vector<int>> ModuloGraph::heights(int interval) const {
  std::vector<int> heights(members_.size(), 0);
  // Longest paths. Dependences within an iteration mostly go from lower to higher numbers, so that few passes suffice.
  // If they do not, there is a positive cycle.
  constexpr int max_passes = 100;
  for (int pass = 0; pass < max_passes; ++pass) {
    bool changed = false;
    for (int group = groups() - 1; group >= 0; --group) {
      int& height = heights[std::size_t(group)];
      for (const Dependence& d : from(group)) {
        const int through = heights[std::size_t(d.to)] + d.latency - d.distance * interval;
        if (through > height) {
          height = through;
          changed = true;
        }
      }
    }
    if (!changed) return heights;
  }
  return std::nullopt;
}

std::vector<int> ModuloGraph::code_order() const {
  std::vector<int> ranks(members_.size());
  for (int group = 0; group < groups(); ++group) {
    int& rank = ranks[std::size_t(group)];
    if (!members(group).empty()) {
      rank = group;
      continue;
    }
    for (const Dependence& d : to(group)) {
      if (d.distance == 0 && d.from < group) rank = std::max(rank, ranks[std::size_t(d.from)]);
    }
  }
  return ranks;
}

int ModuloGraph::min_interval(int from) const {
  if (heights(from)) return from;
  int impossible = from, possible = 2 * from;
  while (!heights(possible)) {
    impossible = possible;
    possible *= 2;
  }
  while (possible - impossible > 1) {
    const int middle = impossible + (possible - impossible) / 2;
    (heights(middle) ? possible : impossible) = middle;
  }
  return possible;
}

}  // namespace podsim::sw::codegen::schedule
