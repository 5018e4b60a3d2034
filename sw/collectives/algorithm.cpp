// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithm.h"

#include <algorithm>
#include <numeric>

namespace podsim::sw::collectives {

int orders(Algorithm algorithm, int dimensions) {
  if (dimensions < 2) return 1;
  return algorithm == Algorithm::rotated ? dimensions : algorithm == Algorithm::two_colour ? 2 : 1;
}

int separate_orders(Algorithm algorithm, int dimensions) {
  return algorithm == Algorithm::two_colour ? 2 : orders(algorithm, dimensions);
}

std::vector<int> dimension_order(Algorithm algorithm, int order, int dimensions) {
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
  if (traits(kind).personal) {
    return {Algorithm::y_then_x, Algorithm::two_colour, Algorithm::rotated, Algorithm::direct};
  }
  std::vector<Algorithm> able(algorithms.begin(), algorithms.end());
  std::erase(able, Algorithm::direct);
  return able;
}

std::vector<Algorithm> algorithms_for(CollectiveKind kind, int dimensions) {
  std::vector<Algorithm> able = algorithms_for(kind);
  if (dimensions < 3) std::erase(able, Algorithm::rotated);
  return able;
}

}  // namespace podsim::sw::collectives
