// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pod/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text/percent.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/schedule/collective_activity.h"
#include "sw/collectives/schedule/collective_estimate.h"
#include "sw/collectives/schedule/collective_folding.h"
#include "sw/placement/mesh_collectives.h"

namespace podsim::sw::runtime::pod {
namespace {

constexpr double small = 0.01;  ///< fraction of the collectives' time

/// Whether translations along some dimension that can fold change it.
bool prevents_folding(const collectives::schedule::CollectiveSchedule& schedule) {
  return collectives::schedule::fold_for(schedule).representatives().nodes() !=
         noc::FoldedTopology::fold_all(schedule.slice()).representatives().nodes();
}

bool any_is_asynchronous(const compiler::Program& program, const std::map<int, hw::OpResult>& of_collectives) {
  return std::ranges::any_of(program.items, [&](const compiler::ProgramItem& item) {
    return item.kind == compiler::ProgramItem::Kind::collective && item.phase != hlo::AsyncPhase::none &&
           of_collectives.contains(item.index);
  });
}

/// Permutes that swap two axes of a mesh send in a different direction from every chip.
void take_small_permutes_by_formula(const compiler::Program& program, const TargetMachine& machine,
                                    const CollectiveSchedules& schedules, Fold& fold) {
  double all = 0, permutes = 0;
  std::map<int, hw::OpResult> by_formula;
  for (const placement::CountedCollective& counted : placement::counted_collectives(program)) {
    const collectives::schedule::CollectiveSchedule& schedule = *schedules[std::size_t(counted.collective)];
    const double once = collectives::schedule::modelled_time(machine, schedule).si();
    all += once * double(counted.count);
    if (schedule.request().kind != collectives::CollectiveKind::collective_permute) continue;
    if (!prevents_folding(schedule)) continue;
    permutes += once * double(counted.count);
    by_formula[counted.collective].cycles = base::Cycles(std::int64_t(std::ceil(once * machine.clock.si())));
  }
  if (by_formula.empty() || permutes > small * all || any_is_asynchronous(program, by_formula)) return;
  fold.by_formula = std::move(by_formula);
  fold.notes.push_back(
      fmt::format("non-uniform collective-permutes, {} of the collectives' time, are estimated in closed form, not "
                  "simulated",
                  base::text::percent(permutes / all, 2)));
}

/// What a collective by itself takes of the first core that is in it.
hw::OpResult alone(const TargetMachine& machine, const collectives::schedule::CollectiveSchedule& schedule,
                   collectives::engine::CollectiveTimes& times) {
  std::vector<collectives::CollectiveGroups::Ranks> groups;
  std::int32_t first = -1;
  std::vector<bool> has_group(std::size_t(schedule.groups()));
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    if (first < 0) first = core;
    const auto group = std::size_t(schedule.member(core).group);
    if (!has_group[group]) groups.push_back(schedule.ranks(core));
    has_group[group] = true;
  }
  hw::OpResult result;
  if (first < 0) return result;
  const double once = times
                          .time(schedule.slice(), collectives::CollectiveGroups(std::move(groups)), schedule.request(),
                                schedule.algorithm())
                          .si();
  const hw::Activity activity = collectives::schedule::CollectiveActivity(machine, schedule).of(first);
  result.cycles = base::Cycles(std::int64_t(std::ceil(once * machine.clock.si())));
  result.read_bytes = activity.transfer_read;
  result.written_bytes = activity.transfer_written;
  const double read = double(result.read_bytes.value()), written = double(result.written_bytes.value());
  const double moved = read + written + machine.hbm.turnaround * std::min(read, written);
  result.hbm_busy = base::Cycles(std::int64_t(moved / machine.hbm.stream_rate.si() * machine.clock.si()));
  return result;
}

/// True if a translation along a wrapped dimension maps the cores of some branch to other cores.
bool branches_vary_along(const compiler::Program& program, std::int32_t cores_per_chip, const noc::Topology& slice,
                         int dimension) {
  return std::ranges::any_of(program.core_sets, [&](const std::vector<std::int32_t>& set) {
    return std::ranges::any_of(set, [&](std::int32_t core) {
      const noc::NodeId chip = core / cores_per_chip;
      if (chip >= slice.nodes()) return false;
      const std::int32_t next = *slice.neighbour(chip, dimension, +1) * cores_per_chip + core % cores_per_chip;
      return !std::ranges::binary_search(set, next);
    });
  });
}

}  // namespace

Fold fold(const compiler::Program& program, const TargetMachine& machine, const noc::Topology& slice,
          const CollectiveSchedules& schedules, bool formulas) {
  Fold result{noc::FoldedTopology::fold_all(slice)};
  std::vector<bool> folded;
  for (int d = 0; d < slice.dimensions(); ++d) folded.push_back(result.topology.folded(d));
  if (formulas && result.topology.is_folded()) take_small_permutes_by_formula(program, machine, schedules, result);
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    if (result.by_formula.contains(int(i))) continue;
    const noc::FoldedTopology allowed = collectives::schedule::fold_for(*schedules[i]);
    for (std::size_t d = 0; d < folded.size(); ++d) folded[d] = folded[d] && allowed.folded(int(d));
  }
  bool refused = false;
  for (int d = 0; d < slice.dimensions(); ++d) {
    const bool varies =
        folded[std::size_t(d)] && branches_vary_along(program, std::int32_t(machine.cores_per_chip), slice, d);
    refused = refused || varies;
    folded[std::size_t(d)] = folded[std::size_t(d)] && !varies;
  }
  if (refused) result.notes.emplace_back("chips that take different branches are simulated one by one");
  result.topology = noc::FoldedTopology(slice, folded);
  return result;
}

Fold fold_to_one(const compiler::Program& program, const TargetMachine& machine, const noc::Topology& slice,
                 const CollectiveSchedules& schedules, collectives::engine::CollectiveTimes& times) {
  if (!program.core_sets.empty()) {
    Fold result = fold(program, machine, slice, schedules);
    result.notes.emplace_back("--fold all: one chip cannot stand for all, since cores take different branches");
    return result;
  }
  Fold result{noc::FoldedTopology::to_one(slice)};
  result.one_for_all = true;
  std::map<const collectives::schedule::CollectiveSchedule*, hw::OpResult> known;
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const auto [cost, is_new] = known.try_emplace(schedules[i].get());
    if (is_new) cost->second = alone(machine, *schedules[i], times);
    result.by_formula.emplace(int(i), cost->second);
  }
  result.notes.emplace_back(
      "one chip stands for all (--fold all): collectives take the time that they take when all cores begin together");
  return result;
}

}  // namespace podsim::sw::runtime::pod
