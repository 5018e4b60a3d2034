// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "noc/ici/message.h"
#include "sw/collectives/engine/collective_data.h"
#include "sw/collectives/engine/look_ahead.h"
#include "sw/collectives/engine/planned_order.h"
#include "sw/collectives/engine/surroundings.h"
#include "sw/collectives/schedule/collective_schedule.h"

namespace podsim::sw::collectives::engine {

class CoreRun;

/// One collective in progress, made by CollectiveEngine::begin or DirectEngine. Cores may start at different times; a
/// message for a core that has not started waits in its buffer. In a folded topology a core stands for its translates
/// along the folded dimensions, which therefore all start with it.
class CollectiveRun : public noc::ici::IciClient {
 public:
  /// The times of a phase of the stripes of one order: from the first core that enters it to the last that leaves it.
  struct PhaseTimes {
    const schedule::GroupSchedule* program = nullptr;
    int order = 0;  ///< of dimensions: stripe % GroupSchedule::orders()
    int phase = 0;
    base::Time begin, end;
  };

  CollectiveRun(Surroundings& engine, std::shared_ptr<const schedule::CollectiveSchedule> schedule,
                std::uint32_t channel, OnFinish on_finish, CollectiveData* data);
  ~CollectiveRun() override;

  /// A core of a (representative) chip has reached the collective, now. Called once per core. A core outside all groups
  /// is done at once and need not be started.
  void start(noc::NodeId chip, int core);
  bool finished() const { return unfinished_ == 0; }
  bool follows() const { return order_ != nullptr; }
  std::uint32_t channel() const { return channel_; }
  /// Has every chip act in the order of this collective alone on a healthy slice, among its own actions. Before any
  /// core starts.
  void follow(std::shared_ptr<const PlannedOrder> order);
  /// Frees the memory that the cores needed; times and schedule stay. Precondition: the run is finished, and no call
  /// into one of its cores is in progress.
  void release();
  /// Simulated cores, also those in no group.
  std::size_t cores() const { return times_.size(); }
  /// The times at which a core started and finished; meaningful once it has.
  base::Time started_at(noc::NodeId chip, int core) const { return times_[index(chip, core)].start; }
  base::Time finished_at(noc::NodeId chip, int core) const { return times_[index(chip, core)].finish; }
  /// From the first start to the last finish.
  base::Time duration() const;
  const schedule::CollectiveSchedule& schedule() const { return *schedule_; }
  /// In the order in which they were first entered.
  const std::vector<PhaseTimes>& phases() const { return phases_; }

  void message_taken(noc::NodeId chip, const noc::ici::Message& message, base::Time when) override;
  void message_received(noc::NodeId chip, const noc::ici::Message& message, base::Time when) override;

  /// For LookAhead: does what a core is due to do, in its turn.
  void serve(const Surroundings::Timer& timer, std::uint64_t key);

  // For CoreRun.
  CollectiveData* data() { return data_; }
  void phase_entered(const schedule::GroupSchedule& program, int stripe, int phase);
  Surroundings& engine() { return engine_; }
  CoreRun& core(noc::NodeId chip, int core);
  void core_finished(noc::NodeId chip, int core);

 private:
  struct Times {
    base::Time start, finish;
  };
  std::size_t index(noc::NodeId chip, int core) const {
    return std::size_t(chip) * std::size_t(schedule_->cores_per_chip()) + std::size_t(core);
  }

  Surroundings& engine_;
  std::shared_ptr<const schedule::CollectiveSchedule> schedule_;
  std::uint32_t channel_;
  OnFinish on_finish_;
  CollectiveData* data_;
  std::vector<CoreRun> cores_;      ///< those in a group
  std::vector<std::int32_t> runs_;  ///< by core of the representative chips: index into cores_; -1: in no group
  std::shared_ptr<const PlannedOrder> order_;                            ///< null: cores act as they are due
  std::vector<noc::ici::OrderedService<Surroundings::Timer>> services_;  ///< by chip, with an order
  std::vector<PhaseTimes> phases_;
  std::vector<Times> times_;
  std::size_t unfinished_;  ///< cores of groups that are not done
};

}  // namespace podsim::sw::collectives::engine
