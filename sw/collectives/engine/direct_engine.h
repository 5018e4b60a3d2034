// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "hw/chip/chip_transfers.h"
#include "hw/timing/hbm_occupancy.h"
#include "hw/timing/vector_timing.h"
#include "noc/chip_switch/switch_timing.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/own_links.h"
#include "sw/collectives/schedule/collective_folding.h"

/// Executes one collective on an idle, healthy slice at message level, without SystemC (own_links.h). All times are the
/// same as with modules to the picosecond.
namespace podsim::sw::collectives::engine {

class DirectEngine : private OwnLinks {
 public:
  DirectEngine(const hw::Machine& machine, const noc::FoldedTopology& topology,
               std::shared_ptr<const schedule::CollectiveSchedule> schedule, CollectiveData* data = nullptr);
  ~DirectEngine() override;

  /// Runs the collective; called once. `starts` are those of all cores of the slice; empty: all at time zero. Calls
  /// `pause` now and then, which may throw.
  void run(const schedule::StartTimes& starts, const std::function<void()>& pause = {});

  base::Time now() const override { return served_until(); }
  using OwnLinks::link;
  using OwnLinks::messages_delivered;
  using OwnLinks::topology;
  const CollectiveRun& collective() const { return collective_; }
  std::int64_t messages_relayed() const { return 0; }

 private:
  class DirectChip;
  hw::chip::ChipTransfers& chip(noc::NodeId chip) override;
  base::trace::Probe<std::string>& phase(noc::NodeId, int) override { return phase_; }
  void begun(CollectiveRun&) override {}
  void finished(CollectiveRun&) override {}

  void start_cores(const schedule::StartTimes& starts);

  base::trace::Probe<std::string> phase_;  ///< shows nothing
  std::deque<DirectChip> chips_;
  CollectiveRun collective_;
};

}  // namespace podsim::sw::collectives::engine
