// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithm.h"

namespace podsim::sw {

std::vector<Algorithm> algorithms_for(CollectiveKind kind) {
  if (kind == CollectiveKind::all_to_all || kind == CollectiveKind::collective_permute) return {Algorithm::direct};
  return {algorithms.begin(), algorithms.end() - 1};
}

}  // namespace podsim::sw
