// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/running_collectives.h"

#include "sw/collectives/engine/collective_engine.h"
#include "sw/collectives/engine/collective_run.h"

namespace podsim::sw::runtime::waits {

RunningCollectives::RunningCollectives(const hw::Machine& machine, const noc::FoldedTopology& topology,
                                       hw::pod::Pod& pod, const pod::CollectiveSchedules& schedules, Waits& waits,
                                       bool alone, base::trace::ProbeSink* sink)
    : schedules_(schedules),
      waits_(waits),
      cores_per_chip_(std::size_t(machine.cores_per_chip)),
      engine_(std::make_unique<collectives::engine::CollectiveEngine>(
          "collectives", machine, topology, pod.chips(), alone ? &pod.network().look_ahead() : nullptr, sink)) {
  pod.network().set_labeller([this](const noc::ici::Message& message) { return engine_->label(message); });
}

RunningCollectives::~RunningCollectives() = default;

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
    run = &engine_->begin(schedules_[std::size_t(collective)], [this, execution](noc::NodeId chip, int core) {
      waits_.over(std::size_t(chip) * cores_per_chip_ + std::size_t(core), execution);
    });
  }
  return *run;
}

}  // namespace podsim::sw::runtime::waits
