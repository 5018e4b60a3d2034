// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/hypervolume.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace podsim::studies::optimise {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

}  // namespace

bool dominates(const Costs& one, const Costs& other) {
  bool better = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] > other[i]) return false;
    better = better || one[i] < other[i];
  }
  return better;
}

double expected_improvement(double limit, const Prediction& cost) {
  if (limit == minus_infinity) return 0;
  const double way = limit - cost.mean;
  if (!(cost.deviation > 0)) return std::max(way, 0.0);
  const double z = way / cost.deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return std::max(way * below + cost.deviation * density, 0.0);
}

HypervolumeFront::HypervolumeFront(const std::vector<Costs>& points, Costs reference)
    : reference_(std::move(reference)) {
  std::vector<const Costs*> inside;
  for (const Costs& point : points) {
    bool below = true;
    for (std::size_t i = 0; i < point.size(); ++i) below = below && point[i] < reference_[i];
    if (below) inside.push_back(&point);
  }
  const std::size_t last = reference_.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    std::vector<double> edges{minus_infinity, reference_[i]};
    for (const Costs* point : inside) edges.push_back((*point)[i]);
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    edges_.push_back(std::move(edges));
  }
  Cell cell{std::vector<std::size_t>(last, 0), 0};
  for (bool more = true; more;) {
    cell.height = reference_[last];
    for (const Costs* point : inside) {
      bool reaches = true;
      for (std::size_t i = 0; i < last; ++i) reaches = reaches && (*point)[i] <= edges_[i][cell.lower[i]];
      if (reaches) cell.height = std::min(cell.height, (*point)[last]);
    }
    cells_.push_back(cell);
    more = false;
    for (std::size_t i = last; i-- > 0 && !more;) {
      more = ++cell.lower[i] + 1 < edges_[i].size();
      if (!more) cell.lower[i] = 0;
    }
  }
}

double HypervolumeFront::volume() const {
  double sum = 0;
  for (const Cell& cell : cells_) {
    double volume = reference_.back() - cell.height;
    if (volume == 0) continue;  // also of every cell without a lower end
    for (std::size_t i = 0; i < cell.lower.size(); ++i) {
      volume *= edges_[i][cell.lower[i] + 1] - edges_[i][cell.lower[i]];
    }
    sum += volume;
  }
  return sum;
}

double HypervolumeFront::expected_gain(const std::vector<Prediction>& costs) const {
  std::vector<std::vector<double>> gains;  // by objective and edge
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    std::vector<double>& of_edges = gains.emplace_back();
    for (const double edge : edges_[i]) of_edges.push_back(expected_improvement(edge, costs[i]));
  }
  double sum = 0;
  for (const Cell& cell : cells_) {
    double product = 1;
    for (std::size_t i = 0; i < cell.lower.size() && product > 0; ++i) {
      product *= gains[i][cell.lower[i] + 1] - gains[i][cell.lower[i]];
    }
    if (product > 0) sum += product * expected_improvement(cell.height, costs.back());
  }
  return sum;
}

double HypervolumeFront::gain(const Costs& costs) const {
  std::vector<Prediction> sure;
  for (const double cost : costs) sure.push_back({cost, 0});
  return expected_gain(sure);
}

}  // namespace podsim::studies::optimise
