// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "base/units.h"
#include "noc/ici/links.h"
#include "sw/collectives/engine/slice_part.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::parts {

/// What one collective takes in all parts of a slice (sw/collectives/engine/slice_part.h) that are translates of each
/// other: each is simulated by itself, and only if no other one has begun like it.
///
/// Links may be busy with what came before the first start.
///
/// Cores that begin at s begin like those that began at r if s - r is the same for all of them to 0.2 % of the
/// collective's duration, or to 4 cycles if that is more, and if links
/// are busy for as long to twice that. Then they end at
///
///   f(s) = f(r) + (max(s - r) + min(s - r)) / 2
///
/// A core waits for the last of its messages, so no end moves by more than the starts do, as long as messages take
/// links in the same order.
class PartTimes {
 public:
  /// Times of an execution, by core of the part; zero for a core in no group.
  using Times = std::vector<base::Time>;
  struct Result {
    Times finishes;
    const noc::ici::Links::Carried* carried = nullptr;  ///< by the links of the part; valid as long as this
    base::Time later;                                   ///< than the zero of `carried`
  };

  /// `part` is one of the parts of `whole`, both of which outlive this, as does the machine.
  PartTimes(const TargetMachine& machine, const collectives::schedule::CollectiveSchedule& whole,
            const collectives::engine::SlicePart& part);

  /// The finishes of cores that start at these times, of some of the groups: `groups` are their numbers in the part.
  /// `busy` are the times up to which links are, by link of the part.
  Result result(const std::vector<std::size_t>& groups, const Times& starts, const Times& busy);
  /// Numbers of executions that were simulated, and that took the times of another.
  std::int64_t simulated() const { return simulated_; }
  std::int64_t known() const { return known_; }

 private:
  struct Execution {
    Times starts, busy, finishes;  ///< the first start is zero
    base::Time tolerance;
    noc::ici::Links::Carried carried;
  };
  struct OfGroups {
    std::shared_ptr<const collectives::schedule::CollectiveSchedule> schedule;
    std::vector<std::size_t> cores;
    std::deque<Execution> executions;
  };

  OfGroups& of_groups(const std::vector<std::size_t>& groups);
  const Execution& simulate(OfGroups& of, Times starts, Times busy);

  const TargetMachine& machine_;
  const collectives::schedule::CollectiveSchedule& whole_;
  const collectives::engine::SlicePart& part_;
  std::map<std::vector<std::size_t>, OfGroups> by_groups_;
  std::int64_t simulated_ = 0, known_ = 0;
};

}  // namespace podsim::sw::runtime::parts
