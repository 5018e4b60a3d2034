// SPDX-License-Identifier: Apache-2.0
#include "studies/search/sharding_candidates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/host/output_file.h"
#include "base/sha256.h"
#include "sw/plans/plan_bound.h"

namespace podsim::studies::search {
namespace {

constexpr std::size_t most_ranked = 5000;

bool is_alike(double one, double other) { return one <= other * (1 + 1e-12); }

}  // namespace

ShardingCandidates::ShardingCandidates(hlo::Module module, const sw::TargetMachine& machine, const noc::Topology& slice,
                                       std::vector<std::int64_t> mesh)
    : module_(std::move(module)),
      program_(hlo::spmd::propagate::classed_program(module_)),
      machine_(machine),
      axes_(machine, slice),
      space_(program_, axes_.cores(), std::move(mesh)),
      costs_(program_, axes_),
      files_(module_, program_),
      memory_(double(machine.hbm.usable_per_core().value())),
      ranked_(sw::plans::ranked_plans(space_, costs_, memory_, most_ranked, most_ranked)) {
  if (ranked_.all) return;
  std::vector<sw::plans::RankedPlan> distinct;
  for (sw::plans::RankedPlan& plan : ranked_.plans) {
    if (!distinct.empty() && is_alike(plan.cost.total_s(), distinct.back().cost.total_s())) continue;
    distinct.push_back(std::move(plan));
  }
  ranked_.plans = std::move(distinct);
}

std::vector<sw::plans::RankedPlan> ShardingCandidates::neighbours(const sw::plans::ShardingPlan& plan) {
  std::vector<sw::plans::RankedPlan> ranked;
  for (sw::plans::ShardingPlan& next : space_.neighbours(plan)) {
    if (!space_.uses_all_axes(next)) continue;
    sw::plans::PlanCost cost = costs_.of(next);
    if (cost.kept_bytes <= memory_) ranked.push_back({std::move(next), cost});
  }
  std::ranges::stable_sort(ranked, {}, [](const sw::plans::RankedPlan& of) { return of.cost.total_s(); });
  return ranked;
}

double ShardingCandidates::least_step_s(const sw::plans::ShardingPlan& plan, bool sharded_updates) {
  const auto [at, is_new] = bounds_.try_emplace({plan, sharded_updates});
  if (is_new) at->second = sw::plans::least_step_s(plan, program_, machine_, sharded_updates);
  return at->second;
}

std::string ShardingCandidates::text(const sw::plans::ShardingPlan& plan) const {
  return hlo::spmd::mesh::to_string(files_.file(plan));
}

std::filesystem::path ShardingCandidates::write(const sw::plans::ShardingPlan& plan,
                                                const std::filesystem::path& folder) const {
  constexpr std::size_t digits = 10;
  const std::string rules = text(plan);
  std::filesystem::path file = folder / (base::sha256(rules).substr(0, digits) + ".toml");
  if (!std::filesystem::exists(file)) base::host::write_file(file.string(), rules);
  return file;
}

std::vector<std::string> described(const sw::plans::ShardingPlan& plan, const ShardingCandidates& candidates) {
  const auto classes_of = [&](const std::vector<sw::plans::AxisSet>& sets, std::size_t axis) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if ((sets[i] >> axis & 1) == 0) continue;
      names.push_back(sw::plans::class_name(candidates.module(), candidates.program().classes[i]));
    }
    return names;
  };
  std::vector<std::string> lines;
  const hlo::spmd::mesh::Mesh mesh = plan.mesh();
  for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
    const std::vector<std::string> values = classes_of(plan.values, axis), kept = classes_of(plan.kept, axis);
    std::string line = fmt::format("{}={} divides ", mesh.axes()[axis].name, plan.axes[axis]);
    line += values.empty() ? "no activations" : fmt::format("{}", fmt::join(values, ", "));
    if (!kept.empty()) line += fmt::format("; in weights {}", fmt::join(kept, ", "));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace podsim::studies::search
