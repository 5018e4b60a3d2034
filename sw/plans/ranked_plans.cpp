// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/ranked_plans.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace podsim::sw::plans {
namespace {

class Descent {
 public:
  Descent(const PlanSpace& space, PlanCosts& costs, double memory) : space_(space), costs_(costs), memory_(memory) {}

  /// False if the space has more than `few` plans.
  bool look_at_all(std::size_t few) {
    std::vector<ShardingPlan> plans;
    const bool all = space_.each([&](const ShardingPlan& plan) {
      plans.push_back(plan);
      return plans.size() <= few;
    });
    if (!all) return false;
    for (const ShardingPlan& plan : plans) cost_of(plan);
    return true;
  }

  void descend() {
    constexpr int drawn = 4;  // starts of a mesh
    for (const std::vector<std::int64_t>& mesh : space_.meshes()) {
      descend_from(space_.whole(mesh));
      for (int i = 0; i < drawn; ++i) descend_from(drawn_plan(mesh));
    }
  }

  RankedPlans ranked(std::size_t most) && {
    RankedPlans result;
    result.costed = known_.size();
    for (auto& [plan, cost] : known_) {
      if (cost.kept_bytes <= memory_ && space_.uses_all_axes(plan)) result.plans.push_back({plan, cost});
    }
    std::ranges::stable_sort(result.plans, {}, [](const RankedPlan& of) { return of.cost.total_s(); });
    if (result.plans.size() > most) result.plans.resize(most);
    return result;
  }

 private:
  const PlanCost& cost_of(const ShardingPlan& plan) {
    const auto at = known_.find(plan);
    return at != known_.end() ? at->second : known_.emplace(plan, costs_.of(plan)).first->second;
  }

  /// What a descent minimises: a plan that does not fit is worse than all that do.
  double height(const ShardingPlan& plan) {
    const PlanCost& cost = cost_of(plan);
    constexpr double penalty = 1e6;
    const double beyond = std::max(cost.kept_bytes / memory_ - 1, 0.0);
    return cost.total_s() + (beyond > 0 ? penalty * (1 + beyond) : 0);
  }

  void descend_from(ShardingPlan plan) {
    double here = height(plan);
    while (true) {
      double least = here;
      ShardingPlan best;
      for (ShardingPlan& next : space_.neighbours(plan)) {
        const double there = height(next);
        if (there >= least) continue;
        least = there;
        best = std::move(next);
      }
      if (least >= here) return;
      here = least;
      plan = std::move(best);
    }
  }

  ShardingPlan drawn_plan(const std::vector<std::int64_t>& mesh) {
    constexpr int moves = 6;
    ShardingPlan plan = space_.whole(mesh);
    for (int i = 0; i < moves; ++i) {
      std::vector<ShardingPlan> next = space_.neighbours(plan);
      if (next.empty()) break;
      plan = std::move(next[random_() % next.size()]);
    }
    return plan;
  }

  const PlanSpace& space_;
  PlanCosts& costs_;
  double memory_;
  std::mt19937_64 random_{1};
  std::map<ShardingPlan, PlanCost> known_;
};

}  // namespace

RankedPlans ranked_plans(const PlanSpace& space, PlanCosts& costs, double memory, std::size_t most, std::size_t few) {
  Descent descent(space, costs, memory);
  const bool all = descent.look_at_all(few);
  if (!all) descent.descend();
  RankedPlans plans = std::move(descent).ranked(most);
  plans.all = all;
  return plans;
}

}  // namespace podsim::sw::plans
