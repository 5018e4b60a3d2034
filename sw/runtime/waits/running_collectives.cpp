// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/running_collectives.h"

#include "sw/collectives/engine/collective_engine.h"
#include "sw/collectives/engine/collective_run.h"

namespace podsim::sw::runtime::waits {

void RunningCollectives::start(std::size_t core, std::uint64_t execution, int collective) {
  if (parted_ != nullptr) return parted_->start(core, execution, collective);
  run_of(execution, collective).start(noc::NodeId(core / cores_per_chip_), int(core % cores_per_chip_));
}

std::optional<ExecutionTimes> RunningCollectives::finished(std::uint64_t execution) const {
  if (const auto* times = parted_ == nullptr ? nullptr : parted_->finished(execution)) {
    return ExecutionTimes{times->starts, times->finishes};
  }
  const auto found = runs_.find(execution);
  if (found == runs_.end() || !found->second->finished()) return std::nullopt;
  const collectives::engine::CollectiveRun& run = *found->second;
  ExecutionTimes times;
  for (std::size_t core = 0; core < run.cores(); ++core) {
    const auto chip = noc::NodeId(core / cores_per_chip_);
    times.starts.push_back(run.started_at(chip, int(core % cores_per_chip_)));
    times.finishes.push_back(run.finished_at(chip, int(core % cores_per_chip_)));
  }
  return times;
}

std::vector<std::string> RunningCollectives::notes() const {
  return parted_ == nullptr ? std::vector<std::string>() : parted_->notes();
}

collectives::engine::CollectiveRun& RunningCollectives::run_of(std::uint64_t execution, int collective) {
  collectives::engine::CollectiveRun*& run = runs_[execution];
  if (run == nullptr) {
    run = &engine_.begin(schedules_[std::size_t(collective)], [this, execution, &run](noc::NodeId chip, int core) {
      if (links_ != nullptr && run->finished()) links_->forget(run->channel());
      waits_.over(std::size_t(chip) * cores_per_chip_ + std::size_t(core), execution);
    });
    if (orders_ != nullptr && !run->finished()) {
      const auto& order = (*orders_)[std::size_t(collective)];
      run->follow(order);
      links_->follow(run->channel(), order->messages, order->topology);
    }
  }
  return *run;
}

}  // namespace podsim::sw::runtime::waits
