// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/trace/probe.h"
#include "hw/machine.h"
#include "hw/pod/pod.h"
#include "noc/folded_topology.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/waits/waits.h"

namespace podsim::sw::collectives::engine {
class CollectiveEngine;
class CollectiveRun;
}  // namespace podsim::sw::collectives::engine

namespace podsim::sw::runtime::waits {

/// The collectives of a program while its cores execute them: the engine, and its run of every execution.
class RunningCollectives {
 public:
  /// Tells `waits` when a collective is over for a core. With `alone` nothing else sends over the pod's links, and no
  /// sink shows what they do. All arguments outlive this.
  RunningCollectives(const hw::Machine& machine, const noc::FoldedTopology& topology, hw::pod::Pod& pod,
                     const pod::CollectiveSchedules& schedules, Waits& waits, bool alone, base::trace::ProbeSink* sink);
  ~RunningCollectives();

  /// A core, numbered chip by chip, has reached an execution of a collective of the program, or starts it beside
  /// others.
  void start(std::size_t core, std::uint64_t execution, int collective);
  /// The run of an execution; null if it was not simulated or is not finished.
  const collectives::engine::CollectiveRun* finished(std::uint64_t execution) const;

 private:
  collectives::engine::CollectiveRun& run_of(std::uint64_t execution, int collective);

  const pod::CollectiveSchedules& schedules_;
  Waits& waits_;
  std::size_t cores_per_chip_;
  std::unique_ptr<collectives::engine::CollectiveEngine> engine_;
  std::map<std::uint64_t, collectives::engine::CollectiveRun*> runs_;  ///< by execution id
};

}  // namespace podsim::sw::runtime::waits
