// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "hw/pod/bare_pod.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/look_ahead.h"
#include "sw/collectives/schedule/collective_folding.h"
#include "sw/target_machine.h"

/// Executes one collective on an idle pod at message level, without SystemC: it looks ahead without end. All times are
/// the same as with modules to the picosecond.
namespace podsim::sw::collectives::engine {

class DirectEngine : private LookAhead {
 public:
  /// `pod` outlives the engine.
  DirectEngine(const TargetMachine& machine, hw::pod::BarePod& pod,
               std::shared_ptr<const schedule::CollectiveSchedule> schedule, CollectiveData* data = nullptr);

  /// Runs the collective; called once. `starts` are those of all cores of the slice. Calls `pause` now and then, which
  /// may throw.
  void run(const schedule::StartTimes& starts, const std::function<void()>& pause = {});

  base::Time now() const override { return served_until(); }
  using LookAhead::follow;
  using LookAhead::record;
  const CollectiveRun& collective() const { return collective_; }

 private:
  hw::chip::ChipTransfers& chip(noc::NodeId chip) override { return pod_.chip(chip); }
  base::trace::Probe<std::string>& phase(noc::NodeId, int) override { return phase_; }
  void begun(CollectiveRun&) override {}
  void finished(CollectiveRun&) override {}

  void start_cores(const schedule::StartTimes& starts);

  hw::pod::BarePod& pod_;
  base::trace::Probe<std::string> phase_;  ///< shows nothing
  CollectiveRun& collective_;
};

}  // namespace podsim::sw::collectives::engine
