// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "workloads/streams/popularity_law.h"

namespace podsim::workloads::streams {

/// Weights of the items, by rank, for users who draw items without repetition until they have their counts: the
/// expected count of every item is that of its law.
///
/// A user whose draws reach intensity a has an item of weight w with probability 1 - exp(-a w) (draws as a Poisson
/// process). The intensities solve sum_i (1 - exp(-a_u w_i)) = count_u, the weights sum_u (1 - exp(-a_u w_i)) =
/// count_i; both are solved in turn, on ranks at equal distances of their logarithm.
std::vector<double> draw_weights(const PopularityLaw& users, const PopularityLaw& items);

}  // namespace podsim::workloads::streams
