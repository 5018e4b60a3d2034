// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/direct_engine.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::collectives::engine {

namespace {

constexpr int between_pauses = 1 << 16;  ///< timers

}  // namespace

DirectEngine::DirectEngine(const TargetMachine& machine, hw::pod::BarePod& pod,
                           std::shared_ptr<const schedule::CollectiveSchedule> schedule, CollectiveData* data)
    : LookAhead(machine, pod.links().topology(), &pod.links()),
      pod_(pod),
      collective_(add_run(std::move(schedule), {}, data)) {}

void DirectEngine::start_cores(const schedule::StartTimes& starts) {
  struct Start {
    base::Time when;
    noc::NodeId chip;
    int core;
  };
  std::vector<Start> order;
  for (noc::NodeId chip = 0; chip < topology().representatives().nodes(); ++chip) {
    const std::size_t first = std::size_t(topology().full_node_of(chip)) * std::size_t(cores_per_chip());
    for (int core = 0; core < cores_per_chip(); ++core) {
      order.push_back({starts[first + std::size_t(core)], chip, core});
    }
  }
  std::ranges::stable_sort(order, {}, &Start::when);
  for (const Start& start : order) {
    set_time(start.when);
    collective_.start(start.chip, start.core);
  }
}

void DirectEngine::run(const schedule::StartTimes& starts, const std::function<void()>& pause) {
  start_cores(starts);
  for (int count = 1; more_is_due(); ++count) {
    serve_next();
    if (count % between_pauses == 0 && pause) pause();
  }
}

}  // namespace podsim::sw::collectives::engine
