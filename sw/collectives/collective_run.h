// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "noc/ici/ici_port.h"
#include "sw/collectives/collective_data.h"
#include "sw/collectives/collective_engine.h"
#include "sw/collectives/collective_schedule.h"

namespace podsim::sw::collectives {

class CoreRun;

/// One collective on its way, made by CollectiveEngine::begin. Cores may start at different times; a message for a core
/// that has not started waits in its buffer. In a folded topology a core stands for its translates along the folded
/// dimensions, which thereby all start with it.
class CollectiveRun : public noc::ici::IciClient {
 public:
  /// A stage of the colours of one order: from the first core that enters it to the last that leaves it.
  struct PhaseTimes {
    const GroupSchedule* program = nullptr;
    int order = 0;  ///< of dimensions: colour % 2
    int phase = 0;
    base::Time begin, end;
  };

  CollectiveRun(CollectiveEngine& engine, std::shared_ptr<const CollectiveSchedule> schedule, std::uint32_t channel,
                CollectiveEngine::OnFinish on_finish, CollectiveData* data);
  ~CollectiveRun() override;

  /// The core of a (representative) chip has reached the collective, now; once per core. One that takes no part is done
  /// at once and need not come.
  void start(noc::NodeId chip, int core);
  bool finished() const { return unfinished_ == 0; }
  /// Gives back what its cores needed on their way; times and schedule stay. Once finished, and not while a core is at
  /// work.
  void release();
  /// When a core started and finished; meaningful once it has.
  base::Time started_at(noc::NodeId chip, int core) const { return times_[index(chip, core)].start; }
  base::Time finished_at(noc::NodeId chip, int core) const { return times_[index(chip, core)].finish; }
  /// From the first start to the last finish.
  base::Time duration() const;
  const CollectiveSchedule& schedule() const { return *schedule_; }
  /// In the order in which they were first entered.
  const std::vector<PhaseTimes>& phases() const { return phases_; }

  void message_taken(noc::NodeId chip, const noc::ici::Message& message) override;
  void message_received(noc::NodeId chip, const noc::ici::Message& message) override;

  // For CoreRun.
  CollectiveData* data() { return data_; }
  void phase_entered(const GroupSchedule& program, int stripe, int phase);
  CollectiveEngine& engine() { return engine_; }
  std::uint32_t channel() const { return channel_; }
  CoreRun& core(noc::NodeId chip, int core);
  void core_finished(noc::NodeId chip, int core);

 private:
  struct Times {
    base::Time start, finish;
  };
  std::size_t index(noc::NodeId chip, int core) const {
    return std::size_t(chip) * std::size_t(schedule_->cores_per_chip()) + std::size_t(core);
  }

  CollectiveEngine& engine_;
  std::shared_ptr<const CollectiveSchedule> schedule_;
  std::uint32_t channel_;
  CollectiveEngine::OnFinish on_finish_;
  CollectiveData* data_;
  std::vector<CoreRun> cores_;      ///< that take part
  std::vector<std::int32_t> runs_;  ///< per core of the representative chips, into cores_; -1: takes no part
  std::vector<PhaseTimes> phases_;
  std::vector<Times> times_;
  std::size_t unfinished_;  ///< of those that take part
};

}  // namespace podsim::sw::collectives
