// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/operators/operator_graph.h"

namespace podsim::sw::operators {

/// The device of each cluster of a graph, the first time that a device could be chosen by: clusters are taken in the
/// order of the longest paths to the end of the step, and each goes to the device on which the operation at which it is
/// taken ends first (HEFT: Topcuoglu, Hariri and Wu 2002). An operation of a cluster that has a device runs there.
std::vector<int> division_by_earliest_end(const OperatorGraph& graph);

struct RefinedDivision {
  std::vector<int> device = {};  ///< by cluster
  double seconds = 0;            ///< of its estimated_schedule()
  std::int64_t estimates = 0;    ///< how many schedules were estimated
};

/// Moves clusters to other devices while that shortens the estimated schedule, or keeps its length and takes less time
/// for transfers. Clusters that exchange most are joined in pairs, and pairs in pairs, as METIS coarsens a graph
/// (Karypis and Kumar 1998), as long as all have one device; sets of clusters move first, smaller ones later, clusters
/// last, the heaviest first. Ends when no move helps, or after `estimates`.
///
/// Never longer than `device` by the estimate. Equal input gives equal divisions.
RefinedDivision refined_division(const OperatorGraph& graph, std::vector<int> device, std::int64_t estimates);

/// How far annealed_division() looks.
struct Annealing {
  std::int64_t estimates = 0;
  double first = 0.01, last = 0.0001;  ///< temperature, in parts of the length of the schedule
  unsigned seed = 1;
};

/// Moves sets of clusters to other devices by simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983): a random
/// cluster and up to 63 neighbours of its device; some moves exchange two sets. A move that lengthens the schedule by d
/// is kept with probability exp(-d / T), where T falls by equal factors. The shortest division that is met is refined.
/// Never longer than `device` by the estimate. Equal input gives equal divisions.
RefinedDivision annealed_division(const OperatorGraph& graph, std::vector<int> device, const Annealing& annealing);

}  // namespace podsim::sw::operators
