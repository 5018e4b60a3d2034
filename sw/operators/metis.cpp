// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/metis.h"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace podsim::sw::operators {
namespace {

constexpr double steps = 1 << 20;  // the sums of all weights, in the integers of METIS
constexpr idx_t seed = 1;

/// A weight in steps, and at least `least`.
idx_t in_steps(double weight, double sum, idx_t least) {
  if (sum <= 0) return std::max<idx_t>(least, 1);
  return std::max(least, idx_t(std::lround(weight / sum * steps)));
}

}  // namespace

std::vector<int> metis_parts(const WeightedGraph& graph, int parts, double imbalance) {
  std::vector<int> result(graph.weights.size(), 0);
  if (parts <= 1 || graph.weights.empty()) return result;
  const double all = std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0);
  double between = 0;
  for (const auto& neighbours : graph.edges) {
    for (const auto& edge : neighbours) between += edge.second;
  }
  std::vector<idx_t> begins{0}, neighbours, edge_weights, weights;
  for (std::size_t vertex = 0; vertex < graph.weights.size(); ++vertex) {
    weights.push_back(in_steps(graph.weights[vertex], all, 0));
    for (const auto& [neighbour, weight] : graph.edges[vertex]) {
      neighbours.push_back(idx_t(neighbour));
      edge_weights.push_back(in_steps(weight, between, 1));
    }
    begins.push_back(idx_t(neighbours.size()));
  }
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_UFACTOR] = std::max<idx_t>(1, idx_t(std::lround(imbalance * 1000)));
  idx_t vertices = idx_t(weights.size()), constraints = 1, count = parts, cut = 0;
  std::vector<idx_t> part(weights.size(), 0);
  const int status =
      METIS_PartGraphKway(&vertices, &constraints, begins.data(), neighbours.data(), weights.data(), nullptr,
                          edge_weights.data(), &count, nullptr, nullptr, options.data(), &cut, part.data());
  if (status != METIS_OK) throw std::runtime_error("METIS has not divided a graph");
  std::ranges::copy(part, result.begin());
  return result;
}

double weight_between(const WeightedGraph& graph, const std::vector<int>& part) {
  double sum = 0;
  for (std::size_t vertex = 0; vertex < graph.weights.size(); ++vertex) {
    for (const auto& [neighbour, weight] : graph.edges[vertex]) {
      if (neighbour > int(vertex) && part[vertex] != part[std::size_t(neighbour)]) sum += weight;
    }
  }
  return sum;
}

}  // namespace podsim::sw::operators
