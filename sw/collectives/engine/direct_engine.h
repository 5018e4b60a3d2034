// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/systemc/timed_queue.h"
#include "hw/chip/chip_transfers.h"
#include "hw/timing/hbm_occupancy.h"
#include "hw/timing/vector_timing.h"
#include "noc/chip_switch/switch_timing.h"
#include "noc/ici/link_timing.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/surroundings.h"
#include "sw/collectives/schedule/collective_folding.h"

/// Executes one collective on an idle, healthy slice at message level, without SystemC: one queue in place of modules,
/// their events and payloads. It takes the same timings of links, HBM, switch and vector units, and serves what is due
/// at one time in the same order as CollectiveEngine on a noc::ici::MessageFabric: heads that reach a link by the port
/// at which they arrive, then timers of cores. All times are the same to the picosecond.
///
/// A link knows when its last message will have left it as soon as it takes the next one, so most messages need no
/// event at their links: the timers that they set at their ends are set when they are sent. Heads that have several
/// links to go, and direct sends, of which several may reach a core at one time, do.
namespace podsim::sw::collectives::engine {

class DirectEngine : private Surroundings {
 public:
  DirectEngine(const hw::Machine& machine, const noc::FoldedTopology& topology,
               std::shared_ptr<const schedule::CollectiveSchedule> schedule, CollectiveData* data = nullptr);
  ~DirectEngine() override;

  /// Runs the collective; called once. `starts` are those of all cores of the slice; empty: all at time zero. Calls
  /// `pause` now and then, which may throw.
  void run(const schedule::StartTimes& starts, const std::function<void()>& pause = {});

  base::Time now() const override { return now_; }
  using Surroundings::topology;
  const CollectiveRun& collective() const { return collective_; }
  /// A link of topology().representatives().
  const noc::ici::LinkTiming& link(noc::LinkId id) const { return links_[std::size_t(id)]; }
  std::int64_t messages_delivered() const { return delivered_; }
  std::int64_t messages_relayed() const { return 0; }

 private:
  class DirectChip;
  /// A message with links to go, or one that waits to be delivered in its turn.
  struct Flight {
    noc::NodeId node = 0;  ///< that its head has reached
    noc::Coordinates remaining{};
    base::Time tail;
    noc::ici::Message message;
  };

  void at(base::Time when, std::uint32_t rank, const Timer& timer) override;
  void send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) override;
  hw::chip::ChipTransfers& chip(noc::NodeId chip) override;
  base::trace::Probe<std::string>& phase(noc::NodeId, int) override { return phase_; }
  void begun(CollectiveRun&) override {}
  void finished(CollectiveRun&) override {}

  void start_cores(const schedule::StartTimes& starts);
  bool more_is_due();
  noc::ici::LinkPassage pass(Flight& flight, int dimension, base::Time head);
  /// Tells a core that its first link has taken a message.
  void took(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message, base::Time when);
  void go_on(Flight& flight, const noc::ici::LinkPassage& passage, int dimension, int direction);
  void keep(base::Time when, std::uint32_t rank, int kind, const Flight& flight);
  void perform(const Timer& step);
  void deliver(const Flight& flight, base::Time when);

  base::Time now_;
  base::trace::Probe<std::string> phase_;  ///< shows nothing
  std::vector<noc::ici::LinkTiming> links_;
  std::vector<noc::NodeId> link_target_;  ///< by link; -1: none
  std::deque<DirectChip> chips_;
  base::systemc::TimedQueue<Timer> queue_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  struct Taken {
    CollectiveRun* run;
    noc::NodeId chip;
    noc::ici::Message message;
  };
  /// Messages without a byte that a free link has taken now. Their cores are told after all other timers of this time.
  std::vector<Taken> taken_at_once_;
  std::int64_t delivered_ = 0;
  bool in_turn_;  ///< messages from one member to another
  CollectiveRun collective_;
};

}  // namespace podsim::sw::collectives::engine
