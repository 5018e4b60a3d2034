// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/running_collectives.h"

#include "sw/collectives/engine/collective_engine.h"
#include "sw/collectives/engine/collective_run.h"

namespace podsim::sw::runtime::waits {

void RunningCollectives::start(std::size_t core, std::uint64_t execution, int collective) {
  run_of(execution, collective).start(noc::NodeId(core / cores_per_chip_), int(core % cores_per_chip_));
}

const collectives::engine::CollectiveRun* RunningCollectives::finished(std::uint64_t execution) const {
  const auto run = runs_.find(execution);
  return run != runs_.end() && run->second->finished() ? run->second : nullptr;
}

collectives::engine::CollectiveRun& RunningCollectives::run_of(std::uint64_t execution, int collective) {
  collectives::engine::CollectiveRun*& run = runs_[execution];
  if (run == nullptr) {
    run = &engine_.begin(schedules_[std::size_t(collective)], [this, execution](noc::NodeId chip, int core) {
      waits_.over(std::size_t(chip) * cores_per_chip_ + std::size_t(core), execution);
    });
  }
  return *run;
}

}  // namespace podsim::sw::runtime::waits
