// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/rank_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

namespace podsim::sw::chakra {

RankGraph::RankGraph(const RankTrace& trace) : dependencies_(trace.nodes.size()) {
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) by_id_.try_emplace(trace.nodes[i].id, int(i));
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    for (const auto* ids : {&trace.nodes[i].control, &trace.nodes[i].data}) {
      for (const std::uint64_t id : *ids) {
        if (const int node = node_with(id); node >= 0) dependencies_[i].push_back(node);
      }
    }
    std::ranges::sort(dependencies_[i]);
    dependencies_[i].erase(std::unique(dependencies_[i].begin(), dependencies_[i].end()), dependencies_[i].end());
  }
  sort();
  if (!has_circle()) find_prefixes();
}

int RankGraph::node_with(std::uint64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? -1 : found->second;
}

void RankGraph::sort() {
  std::vector<std::size_t> missing(dependencies_.size());
  std::vector<std::vector<int>> readers(dependencies_.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> next;
  for (std::size_t i = 0; i < dependencies_.size(); ++i) {
    missing[i] = dependencies_[i].size();
    for (const int node : dependencies_[i]) readers[std::size_t(node)].push_back(int(i));
    if (missing[i] == 0) next.push(int(i));
  }
  for (; !next.empty();) {
    const int node = next.top();
    next.pop();
    order_.push_back(node);
    for (const int reader : readers[std::size_t(node)]) {
      if (--missing[std::size_t(reader)] == 0) next.push(reader);
    }
  }
}

void RankGraph::find_prefixes() {
  place_.resize(order_.size());
  prefix_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) place_[std::size_t(order_[i])] = int(i);
  for (const int node : order_) {
    int& prefix = prefix_[std::size_t(node)];
    for (const int earlier : dependencies(node)) prefix = std::max(prefix, prefix_[std::size_t(earlier)]);
    // The nodes that it waits for may extend the prefix, one position after another.
    std::vector<int> places;
    for (const int earlier : dependencies(node)) places.push_back(place_[std::size_t(earlier)]);
    std::ranges::sort(places);
    for (const int place : places) prefix += place == prefix;
  }
}

int RankGraph::node_on_circle() const {
  std::vector<bool> done(dependencies_.size());
  for (const int node : order_) done[std::size_t(node)] = true;
  // A node that is not done waits for another one that is not; after as many steps as there are nodes this is a circle.
  int node = int(std::ranges::find(done, false) - done.begin());
  for (std::size_t step = 0; step < done.size(); ++step) {
    node = *std::ranges::find_if(dependencies(node), [&](int earlier) { return !done[std::size_t(earlier)]; });
  }
  return node;
}

bool RankGraph::waits_for(int node, int earlier) const {
  const int goal = place_[std::size_t(earlier)];
  std::vector<int> open{node};
  std::unordered_set<int> seen;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (goal < prefix_[std::size_t(at)]) return true;
    for (const int next : dependencies(at)) {
      if (next == earlier) return true;
      if (place_[std::size_t(next)] > goal && seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

}  // namespace podsim::sw::chakra
