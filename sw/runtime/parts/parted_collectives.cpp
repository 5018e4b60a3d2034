// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/parts/parted_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/systemc/systemc_time.h"
#include "sw/collectives/schedule/launch.h"

namespace podsim::sw::runtime::parts {

using collectives::engine::SlicePart;
using collectives::schedule::CollectiveSchedule;

/// A collective's parts of the slice.
struct PartedCollectives::Division {
  struct Part {
    const SlicePart* part = nullptr;
    PartTimes* times = nullptr;      ///< those of its translates too
    std::vector<std::size_t> cores;  ///< of the slice, by core of the part
    std::vector<noc::LinkId> links;  ///< of the slice, by link of the part; -1: there is none
  };
  /// The part and group in it of a core of the slice; -1: in no group.
  struct Membership {
    int part = -1, group = -1;
  };

  std::vector<SlicePart> all;
  std::vector<Part> parts;
  std::vector<Membership> of_core;
  std::map<std::string, PartTimes> by_content;
  base::Time launch;  ///< no core is done before
};

/// An execution of a collective while cores come and when it is over.
struct PartedCollectives::Execution {
  struct Part {
    std::vector<std::size_t> missing;  ///< cores that have not come, by group
    std::vector<bool> ended;           ///< by group: whether the times of its ends are known
    std::size_t groups_missing = 0;    ///< groups of which cores have not come
  };

  std::uint64_t id = 0;
  Division* division = nullptr;
  std::vector<Part> parts;
  Times times;
  std::size_t unfinished = 0;  ///< cores that are not done
};

bool PartedCollectives::can_take(const compiler::Program& program) {
  const auto is_joint = [](const compiler::CollectiveOp& op) {
    const collectives::CollectiveTraits& kind = collectives::traits(op.kind);
    return !kind.pairwise && !kind.rooted;
  };
  const auto is_synchronous = [](const compiler::ProgramItem& item) { return item.phase == hlo::AsyncPhase::none; };
  return program.core_sets.empty() && std::ranges::all_of(program.collectives, is_joint) &&
         std::ranges::all_of(program.items, is_synchronous);
}

PartedCollectives::PartedCollectives(const TargetMachine& machine, const noc::Topology& slice,
                                     const pod::CollectiveSchedules& schedules, noc::ici::Links& links, Alarms& alarms,
                                     OnOver on_over)
    : machine_(machine),
      slice_(slice),
      schedules_(schedules),
      links_(links),
      alarms_(alarms),
      on_over_(std::move(on_over)),
      busy_(std::size_t(slice.link_ids())) {}

PartedCollectives::~PartedCollectives() { alarms_.clear(); }

PartedCollectives::Division& PartedCollectives::division_of(int collective) {
  const CollectiveSchedule& schedule = *schedules_[std::size_t(collective)];
  std::unique_ptr<Division>& division = divisions_[&schedule];
  if (division != nullptr) return *division;
  division = std::make_unique<Division>();
  const auto cores = std::int32_t(schedule.cores_per_chip());
  std::vector<collectives::CollectiveGroups::Ranks> groups;
  std::vector<bool> has_group(schedule.groups());
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    const auto group = std::size_t(schedule.member(core).group);
    if (!has_group[group]) groups.push_back(schedule.ranks(core));
    has_group[group] = true;
  }
  division->all = collectives::engine::all_parts(slice_, cores, collectives::CollectiveGroups(std::move(groups)));
  division->of_core.resize(std::size_t(schedule.cores()));
  division->launch = base::to_time(collectives::schedule::launch(machine_, schedule));
  for (const SlicePart& part : division->all) {
    PartTimes& times = division->by_content.try_emplace(part.content, machine_, schedule, part).first->second;
    Division::Part& of_part = division->parts.emplace_back(Division::Part{&part, &times, {}, {}});
    for (std::int32_t core = 0; core < part.slice.nodes() * cores; ++core) {
      noc::Coordinates at = part.slice.coordinates(core / cores);
      for (std::size_t d = 0; d < at.size(); ++d) at[d] += part.first[d];
      of_part.cores.push_back(std::size_t(slice_.node(at) * cores + core % cores));
    }
    for (noc::LinkId id = 0; id < part.slice.link_ids(); ++id) {
      const auto link = part.slice.link(id);
      const std::size_t core = link ? of_part.cores[std::size_t(link->from * cores)] : 0;
      of_part.links.push_back(
          link ? slice_.link_id(noc::NodeId(core / std::size_t(cores)), link->dimension, link->direction) : -1);
    }
    for (std::size_t group = 0; group < part.groups.size(); ++group) {
      for (const std::int32_t core : part.groups[group]) {
        division->of_core[of_part.cores[std::size_t(core)]] = {int(division->parts.size()) - 1, int(group)};
      }
    }
  }
  return *division;
}

void PartedCollectives::start(std::size_t core, std::uint64_t id, int collective) {
  std::unique_ptr<Execution>& execution = executions_[id];
  if (execution == nullptr) {
    Division& division = division_of(collective);
    const std::size_t cores = division.of_core.size();
    execution = std::make_unique<Execution>(
        Execution{id, &division, {}, {PartTimes::Times(cores), PartTimes::Times(cores)}, cores});
    for (const Division::Part& part : division.parts) {
      Execution::Part& of_part = execution->parts.emplace_back();
      for (const auto& group : part.part->groups) of_part.missing.push_back(group.size());
      of_part.ended.resize(part.part->groups.size());
      of_part.groups_missing = part.part->groups.size();
    }
  }
  const base::Time now = base::systemc::now();
  execution->times.starts[core] = now;
  const auto [own_part, group] = execution->division->of_core[core];
  const auto part = own_part;  // which a lambda may capture
  if (part < 0) {
    execution->times.finishes[core] = now;
    return over(*execution, core);
  }
  Execution::Part& of_part = execution->parts[std::size_t(part)];
  if (--of_part.missing[std::size_t(group)] > 0) return;
  if (--of_part.groups_missing == 0) return settle(*execution, std::size_t(part));
  alarms_.at(now + execution->division->launch,
             [this, &execution = *execution, part] { check(execution, std::size_t(part)); });
}

PartTimes::Result PartedCollectives::result_of(const Execution& execution, std::size_t part,
                                               const std::vector<std::size_t>& groups) {
  const Division::Part& of = execution.division->parts[part];
  PartTimes::Times starts, busy;
  for (const std::size_t core : of.cores) starts.push_back(execution.times.starts[core]);
  for (const noc::LinkId link : of.links) busy.push_back(link < 0 ? base::Time(0) : busy_[std::size_t(link)]);
  return of.times->result(groups, starts, busy);
}

/// All cores of a part have come.
void PartedCollectives::settle(Execution& execution, std::size_t part) {
  const Division::Part& of = execution.division->parts[part];
  std::vector<std::size_t> groups, open;
  for (std::size_t group = 0; group < of.part->groups.size(); ++group) {
    groups.push_back(group);
    if (!execution.parts[part].ended[group]) open.push_back(group);
  }
  const PartTimes::Result result = result_of(execution, part, groups);
  links_.count(*result.carried, of.part->slice, of.part->first);
  for (noc::LinkId link = 0; link < of.part->slice.link_ids(); ++link) {
    if (of.links[std::size_t(link)] < 0) continue;
    base::Time& until = busy_[std::size_t(of.links[std::size_t(link)])];
    until = std::max(until, result.carried->links[std::size_t(link)].free_at() + result.later);
  }
  end(execution, part, open, result.finishes);
}

/// Ends the groups of which all cores have come if one of these is done before the cores of other groups come.
void PartedCollectives::check(Execution& execution, std::size_t part) {
  Execution::Part& state = execution.parts[part];
  if (state.groups_missing == 0) return;
  const Division::Part& of = execution.division->parts[part];
  std::vector<std::size_t> groups, open;
  for (std::size_t group = 0; group < of.part->groups.size(); ++group) {
    if (state.missing[group] > 0) continue;
    groups.push_back(group);
    if (!state.ended[group]) open.push_back(group);
  }
  if (open.empty()) return;
  const PartTimes::Result result = result_of(execution, part, groups);
  base::Time first = result.finishes[std::size_t(of.part->groups[open[0]][0])];
  for (const std::size_t group : open) {
    for (const std::int32_t core : of.part->groups[group]) first = std::min(first, result.finishes[std::size_t(core)]);
  }
  if (first <= base::systemc::now()) return end(execution, part, open, result.finishes);
  alarms_.at(first, [this, &execution, part] { check(execution, part); });
}

void PartedCollectives::end(Execution& execution, std::size_t part, const std::vector<std::size_t>& groups,
                            const PartTimes::Times& finishes) {
  const Division::Part& of = execution.division->parts[part];
  const base::Time now = base::systemc::now();
  std::map<base::Time, std::vector<std::size_t>> ends;
  for (const std::size_t group : groups) {
    execution.parts[part].ended[group] = true;
    for (const std::int32_t member : of.part->groups[group]) {
      const std::size_t core = of.cores[std::size_t(member)];
      execution.times.finishes[core] = std::max(now, finishes[std::size_t(member)]);
      ends[execution.times.finishes[core]].push_back(core);
    }
  }
  for (auto& [when, cores] : ends) {
    alarms_.at(when, [this, &execution, cores = std::move(cores)] {
      for (const std::size_t core : cores) over(execution, core);
    });
  }
}

void PartedCollectives::over(Execution& execution, std::size_t core) {
  --execution.unfinished;
  on_over_(core, execution.id);
}

const PartedCollectives::Times* PartedCollectives::finished(std::uint64_t execution) const {
  const auto found = executions_.find(execution);
  return found != executions_.end() && found->second->unfinished == 0 ? &found->second->times : nullptr;
}

std::vector<std::string> PartedCollectives::notes() const {
  std::int64_t simulated = 0, known = 0;
  for (const auto& [schedule, division] : divisions_) {
    for (const auto& [content, times] : division->by_content) {
      simulated += times.simulated();
      known += times.known();
    }
  }
  if (known == 0) return {};
  return {fmt::format(
      "{} of {} collectives in parts of the slice began as others had to 0.2 %, and are assumed to take as long", known,
      known + simulated)};
}

}  // namespace podsim::sw::runtime::parts
