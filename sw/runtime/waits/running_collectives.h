// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/waits/waits.h"

namespace podsim::sw::collectives::engine {
class CollectiveEngine;
class CollectiveRun;
}  // namespace podsim::sw::collectives::engine

namespace podsim::sw::runtime::waits {

/// The collectives of a program while its cores execute them: the engine's run of every execution.
class RunningCollectives {
 public:
  /// Tells `waits` when a collective is over for a core. All arguments outlive this, which outlives the collectives in
  /// progress.
  RunningCollectives(collectives::engine::CollectiveEngine& engine, const pod::CollectiveSchedules& schedules,
                     Waits& waits, std::int64_t cores_per_chip)
      : engine_(engine), schedules_(schedules), waits_(waits), cores_per_chip_(std::size_t(cores_per_chip)) {}

  /// A core, numbered chip by chip, has reached an execution of a collective of the program, or starts it
  /// asynchronously.
  void start(std::size_t core, std::uint64_t execution, int collective);
  /// The run of an execution; null if it was not simulated or is not finished.
  const collectives::engine::CollectiveRun* finished(std::uint64_t execution) const;

 private:
  collectives::engine::CollectiveRun& run_of(std::uint64_t execution, int collective);

  collectives::engine::CollectiveEngine& engine_;
  const pod::CollectiveSchedules& schedules_;
  Waits& waits_;
  std::size_t cores_per_chip_;
  std::map<std::uint64_t, collectives::engine::CollectiveRun*> runs_;  ///< by execution id
};

}  // namespace podsim::sw::runtime::waits
