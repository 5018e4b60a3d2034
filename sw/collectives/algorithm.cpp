// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/diagnostic.h"
#include "sw/collectives/custom_algorithm.h"

namespace podsim::sw::collectives {
namespace {

std::vector<int> custom_order(const CustomAlgorithm& algorithm, int order, int dimensions) {
  std::vector<int> visited = algorithm.dimension_order(order, dimensions);
  std::vector<int> sorted = visited, all(std::size_t(dimensions), 0);
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    throw base::SimulationError(fmt::format("the algorithm {} visits dimensions {}, which are not each of {} once",
                                            algorithm.name(), fmt::join(visited, ", "), dimensions));
  }
  return visited;
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  static constexpr std::array names{"y-then-x", "two-colour", "rotated", "ring", "one-way-ring", "line", "direct"};
  const auto own = custom(algorithm);
  return own ? own->name() : names[std::size_t(algorithm)];
}

bool uses_all_cores(Algorithm algorithm) {
  const auto own = custom(algorithm);
  return own ? own->uses_all_cores() : algorithm != Algorithm::one_way_ring;
}

int orders(Algorithm algorithm, int dimensions) {
  if (const auto own = custom(algorithm)) return std::max(1, own->orders(dimensions));
  if (dimensions < 2) return 1;
  return algorithm == Algorithm::rotated ? dimensions : algorithm == Algorithm::two_colour ? 2 : 1;
}

int separate_orders(Algorithm algorithm, int dimensions) {
  return algorithm == Algorithm::two_colour ? 2 : orders(algorithm, dimensions);
}

std::vector<int> dimension_order(Algorithm algorithm, int order, int dimensions) {
  if (const auto own = custom(algorithm)) return custom_order(*own, order, dimensions);
  std::vector<int> result(std::size_t(dimensions), 0);
  std::iota(result.rbegin(), result.rend(), 0);
  if (algorithm == Algorithm::rotated) {
    std::ranges::rotate(result, result.begin() + order);
  } else if (order == 1) {
    std::ranges::reverse(result);
  }
  return result;
}

std::vector<Algorithm> algorithms_for(CollectiveKind kind) {
  if (traits(kind).pairwise) return {Algorithm::direct};
  std::vector<Algorithm> able{Algorithm::y_then_x, Algorithm::two_colour, Algorithm::rotated, Algorithm::direct};
  if (!traits(kind).personal) {
    able.assign(built_in_algorithms.begin(), built_in_algorithms.end());
    std::erase(able, Algorithm::direct);
  }
  for (const Algorithm algorithm : algorithms()) {
    if (const auto own = custom(algorithm); own && own->does(kind)) able.push_back(algorithm);
  }
  return able;
}

std::vector<Algorithm> algorithms_for(CollectiveKind kind, int dimensions) {
  std::vector<Algorithm> able = algorithms_for(kind);
  if (dimensions < 3) std::erase(able, Algorithm::rotated);
  return able;
}

}  // namespace podsim::sw::collectives
