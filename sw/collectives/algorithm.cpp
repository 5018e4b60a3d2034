// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithm.h"

namespace podsim::sw::collectives {

std::vector<Algorithm> algorithms_for(CollectiveKind kind) {
  if (kind == CollectiveKind::collective_permute) return {Algorithm::direct};
  if (kind == CollectiveKind::all_to_all) {
    return {Algorithm::y_then_x, Algorithm::two_colour, Algorithm::rotated, Algorithm::direct};
  }
  return {algorithms.begin(), algorithms.end() - 1};
}

std::vector<Algorithm> algorithms_for(CollectiveKind kind, int dimensions) {
  std::vector<Algorithm> able = algorithms_for(kind);
  if (dimensions < 3) std::erase(able, Algorithm::rotated);
  return able;
}

}  // namespace podsim::sw::collectives
