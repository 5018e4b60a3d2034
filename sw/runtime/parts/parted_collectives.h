// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "noc/ici/links.h"
#include "sw/collectives/engine/slice_part.h"
#include "sw/compiler/program.h"
#include "sw/runtime/parts/alarms.h"
#include "sw/runtime/parts/part_times.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::parts {

/// Collectives of a slice in the parts in which their groups work without the others, such as its rows. When all cores
/// of a part have come, the part is simulated by itself on idle chips, or takes the times of an execution that began
/// like it (part_times.h). Links are busy with the messages of the collectives before it; what two collectives take of
/// one chip at a time, where one core of it is in the first and another in the second, is left out.
///
/// Some groups of a part may end before others begin. They take the times that they have without those.
///
/// What this leaves out is not bounded by an equation. Steps of dense_137b and gshard on open slices are within 0.08 %
/// of those of which everything is simulated (docs/speed.md).
class PartedCollectives {
 public:
  /// Called at the simulated time at which a core is done with an execution.
  using OnOver = std::function<void(std::size_t core, std::uint64_t execution)>;

  /// Whether all collectives of a program can be taken in parts: every core executes all of them, none is asynchronous,
  /// and in each of them every core of a group waits for all others of it. Where only some of a program's collectives
  /// were, links would not show what the others have on them: 0.4 % of a step of a decoder with collective-permutes.
  static bool can_take(const compiler::Program& program);

  /// `links` are those of the slice, which count what parts carry. The arguments outlive this.
  PartedCollectives(const TargetMachine& machine, const noc::Topology& slice, const pod::CollectiveSchedules& schedules,
                    noc::ici::Links& links, Alarms& alarms, OnOver on_over);
  ~PartedCollectives();

  /// A core has reached an execution of a collective now.
  void start(std::size_t core, std::uint64_t id, int collective);
  /// By core; null before all cores are done, and for an execution that has not begun.
  struct Times {
    PartTimes::Times starts, finishes;
  };
  const Times* finished(std::uint64_t execution) const;
  /// What was not simulated, for the reports.
  std::vector<std::string> notes() const;

 private:
  struct Division;
  struct Execution;

  Division& division_of(int collective);
  PartTimes::Result result_of(const Execution& execution, std::size_t part, const std::vector<std::size_t>& groups);
  void settle(Execution& execution, std::size_t part);
  void check(Execution& execution, std::size_t part);
  void end(Execution& execution, std::size_t part, const std::vector<std::size_t>& groups,
           const PartTimes::Times& finishes);
  void over(Execution& execution, std::size_t core);

  const TargetMachine& machine_;
  const noc::Topology& slice_;
  const pod::CollectiveSchedules& schedules_;
  noc::ici::Links& links_;
  Alarms& alarms_;
  OnOver on_over_;
  std::vector<base::Time> busy_;  ///< by link: up to when collectives whose times are known have it
  std::map<const collectives::schedule::CollectiveSchedule*, std::unique_ptr<Division>> divisions_;
  std::map<std::uint64_t, std::unique_ptr<Execution>> executions_;
};

}  // namespace podsim::sw::runtime::parts
