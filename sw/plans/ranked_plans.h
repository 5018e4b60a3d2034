// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sw/plans/plan_cost.h"
#include "sw/plans/plan_space.h"

namespace podsim::sw::plans {

struct RankedPlan {
  ShardingPlan plan;
  PlanCost cost;
};

struct RankedPlans {
  std::vector<RankedPlan> plans;  ///< those that cost least first; at most as many as were asked for
  std::size_t costed = 0;         ///< whose costs were found
  bool all = false;               ///< these are all plans of the space
};

/// The plans of a space that cost least, of those whose kept arrays fit into `memory` bytes. A space of at most `few`
/// plans is looked at whole. In a larger one, a descent begins at plans of every mesh, one that divides nothing and
/// some drawn by a fixed seed, and goes to the neighbour that costs least until none costs less.
RankedPlans ranked_plans(const PlanSpace& space, PlanCosts& costs, double memory, std::size_t most,
                         std::size_t few = 20000);

}  // namespace podsim::sw::plans
