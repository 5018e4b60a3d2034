// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/graph.h"
#include "sw/plans/plan_file.h"
#include "sw/plans/ranked_plans.h"

namespace podsim::studies::search {

/// The shardings of a program of all cores that a search may try.
class ShardingCandidates {
 public:
  /// `mesh` are the sizes of the axes if they are given, else empty. `machine` outlives this.
  ShardingCandidates(hlo::Module module, const sw::TargetMachine& machine, const noc::Topology& slice,
                     std::vector<std::int64_t> mesh);
  ShardingCandidates(const ShardingCandidates&) = delete;
  ShardingCandidates& operator=(const ShardingCandidates&) = delete;

  /// By their costs, the least first. In a space that is too large to look at whole, those of equal costs once, since
  /// most of them are one program.
  const sw::plans::RankedPlans& ranked() const { return ranked_; }
  sw::plans::PlanCost cost_of(const sw::plans::ShardingPlan& plan) { return costs_.of(plan); }
  /// A time that no step under a plan is shorter than (sw/plans/plan_bound.h).
  double least_step_s(const sw::plans::ShardingPlan& plan, bool sharded_updates);
  /// Plans of the space that differ from one in one class, the least cost first.
  std::vector<sw::plans::RankedPlan> neighbours(const sw::plans::ShardingPlan& plan);

  /// Writes a plan as a sharding file into a folder, under a name that follows from its text, and returns the file.
  std::filesystem::path write(const sw::plans::ShardingPlan& plan, const std::filesystem::path& folder) const;
  /// The text of a plan's sharding file.
  std::string text(const sw::plans::ShardingPlan& plan) const;

  const hlo::spmd::propagate::ClassedProgram& program() const { return program_; }
  const hlo::Module& module() const { return module_; }

 private:
  hlo::Module module_;
  hlo::spmd::propagate::ClassedProgram program_;
  const sw::TargetMachine& machine_;
  sw::plans::AxisCosts axes_;
  sw::plans::PlanSpace space_;
  sw::plans::PlanCosts costs_;
  sw::plans::PlanFiles files_;
  double memory_ = 0;
  sw::plans::RankedPlans ranked_;
  std::map<std::pair<sw::plans::ShardingPlan, bool>, double> bounds_;
};

/// One line for each axis: "a=16 divides tokens[0]; in weights embedding[1]".
std::vector<std::string> described(const sw::plans::ShardingPlan& plan, const ShardingCandidates& candidates);

}  // namespace podsim::studies::search
