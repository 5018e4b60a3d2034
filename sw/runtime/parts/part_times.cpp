// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/parts/part_times.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hw/pod/bare_pod.h"
#include "sw/collectives/engine/direct_engine.h"
#include "sw/collectives/schedule/collective_estimate.h"
#include "sw/collectives/schedule/collective_folding.h"

namespace podsim::sw::runtime::parts {
namespace {

constexpr std::int64_t few_cycles = 4;
constexpr std::int64_t drift_divisor = 500;  // allowed drift of a duration: 1 / drift_divisor

/// By how much later cores start than others did, if that is the same for all to a tolerance.
std::optional<base::Time> shift(const PartTimes::Times& starts, const PartTimes::Times& others,
                                const std::vector<std::size_t>& cores, base::Time tolerance) {
  base::Time least = starts[cores[0]] - others[cores[0]], most = least;
  for (const std::size_t core : cores) {
    least = std::min(least, starts[core] - others[core]);
    most = std::max(most, starts[core] - others[core]);
    if (most - least > tolerance * 2) return std::nullopt;
  }
  return base::Time((least.value() + most.value()) / 2);
}

bool equal(const PartTimes::Times& some, const PartTimes::Times& others, base::Time tolerance) {
  return std::ranges::equal(some, others, [&](base::Time one, base::Time other) {
    return std::max(one, other) - std::min(one, other) <= tolerance;
  });
}

}  // namespace

PartTimes::PartTimes(const TargetMachine& machine, const collectives::schedule::CollectiveSchedule& whole,
                     const collectives::engine::SlicePart& part)
    : machine_(machine), whole_(whole), part_(part) {}

PartTimes::OfGroups& PartTimes::of_groups(const std::vector<std::size_t>& groups) {
  const auto [known, is_new] = by_groups_.try_emplace(groups);
  OfGroups& of = known->second;
  if (!is_new) return of;
  std::vector<collectives::CollectiveGroups::Ranks> ranks;
  for (const std::size_t group : groups) ranks.push_back(part_.groups[group]);
  for (const auto& members : ranks) of.cores.insert(of.cores.end(), members.begin(), members.end());
  of.schedule = std::make_shared<const collectives::schedule::CollectiveSchedule>(
      part_.slice, whole_.cores_per_chip(), collectives::CollectiveGroups(std::move(ranks)), whole_.request(),
      whole_.algorithm(), collectives::schedule::segment_lengths(machine_, whole_.request().type));
  return of;
}

PartTimes::Result PartTimes::result(const std::vector<std::size_t>& groups, const Times& starts, const Times& busy) {
  OfGroups& of = of_groups(groups);
  base::Time first = starts[of.cores[0]];
  for (const std::size_t core : of.cores) first = std::min(first, starts[core]);
  Times relative(starts.size()), still(busy.size());
  for (const std::size_t core : of.cores) relative[core] = starts[core] - first;
  std::ranges::transform(busy, still.begin(), [&](base::Time until) { return std::max(until, first) - first; });
  const Execution* like = nullptr;
  base::Time later;
  for (const Execution& execution : of.executions) {
    const auto found = shift(relative, execution.starts, of.cores, execution.tolerance);
    if (!found || !equal(still, execution.busy, execution.tolerance * 2)) continue;
    like = &execution;
    later = *found;
    ++known_;
    break;
  }
  if (like == nullptr) like = &simulate(of, std::move(relative), std::move(still));
  Result result{Times(starts.size()), &like->carried, first + later};
  for (const std::size_t core : of.cores) result.finishes[core] = like->finishes[core] + result.later;
  return result;
}

const PartTimes::Execution& PartTimes::simulate(OfGroups& of, Times starts, Times busy) {
  ++simulated_;
  hw::pod::BarePod pod(machine_, noc::FoldedTopology(part_.slice));
  for (std::size_t link = 0; link < busy.size(); ++link) {
    if (busy[link] > base::Time(0)) pod.links().occupy(noc::LinkId(link), busy[link]);
  }
  collectives::engine::DirectEngine engine(machine_, pod, of.schedule);
  engine.run(starts);
  Execution& execution = of.executions.emplace_back();
  execution.finishes.resize(starts.size());
  const auto cores = std::size_t(whole_.cores_per_chip());
  base::Time last;
  for (const std::size_t core : of.cores) {
    execution.finishes[core] = engine.collective().finished_at(noc::NodeId(core / cores), int(core % cores));
    last = std::max(last, execution.finishes[core]);
  }
  execution.starts = std::move(starts);
  execution.busy = std::move(busy);
  const base::Clock clock(machine_.clock);
  execution.tolerance = std::max(clock.time_of(base::Cycles(few_cycles)), base::Time(last.value() / drift_divisor));
  execution.carried = pod.links().carried();
  return execution;
}

}  // namespace podsim::sw::runtime::parts
