// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/operators/weighted_graph.h"

namespace podsim::sw::operators {

/// The part of each vertex in a division into `parts` of about equal weight with a small sum of the weights of edges
/// between parts: METIS_PartGraphKway of METIS 5 (Karypis and Kumar 1998), with a fixed seed, so that equal graphs give
/// equal parts. A part may weigh (1 + imbalance) of the mean. Weights are rounded to 2^20 steps of the largest sum. One
/// part and a graph without vertices are not given to METIS.
std::vector<int> metis_parts(const WeightedGraph& graph, int parts, double imbalance);

/// The sum of the weights of edges between parts.
double weight_between(const WeightedGraph& graph, const std::vector<int>& part);

}  // namespace podsim::sw::operators
