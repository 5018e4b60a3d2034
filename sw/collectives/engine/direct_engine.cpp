// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/direct_engine.h"

#include <algorithm>
#include <utility>

#include "hw/machine.h"

namespace podsim::sw::collectives::engine {

namespace {

constexpr int between_pauses = 1 << 16;  ///< timers

}  // namespace

/// What transfers take from a chip; hw::chip::Chip is the module with the same timings.
class DirectEngine::DirectChip : public hw::chip::ChipTransfers {
 public:
  explicit DirectChip(const hw::Machine& machine)
      : clock_(machine.clock),
        switch_(machine.chip_switch, machine.clock, int(machine.cores_per_chip)),
        vector_(machine),
        hbm_(std::size_t(machine.cores_per_chip), hw::timing::HbmOccupancy(machine.hbm)),
        vector_free_at_(std::size_t(machine.cores_per_chip)) {}

  base::Time read(base::Time now, int core, base::Bytes bytes) override {
    return hbm_[std::size_t(core)].claim(now, hw::Direction::read, bytes);
  }
  base::Time write(base::Time now, int core, base::Bytes bytes) override {
    return hbm_[std::size_t(core)].claim(now, hw::Direction::write, bytes);
  }
  noc::chip_switch::SwitchPassage pass(base::Time now, int from, int to, base::Bytes bytes) override {
    return switch_.pass(now, from, to, bytes);
  }
  base::Time compute(int core, base::Time ready, const hw::VectorWork& work) override {
    base::Time& free_at = vector_free_at_[std::size_t(core)];
    return free_at = std::max(ready, free_at) + clock_.time_of(vector_.duration(work));
  }
  base::Time slowed(base::Time healthy) const override { return healthy; }

 private:
  base::Clock clock_;
  noc::chip_switch::SwitchTiming switch_;
  hw::timing::VectorTiming vector_;
  std::vector<hw::timing::HbmOccupancy> hbm_;
  std::vector<base::Time> vector_free_at_;
};

DirectEngine::DirectEngine(const hw::Machine& machine, const noc::FoldedTopology& topology,
                           std::shared_ptr<const schedule::CollectiveSchedule> schedule, CollectiveData* data)
    : OwnLinks(machine, topology), collective_(*this, std::move(schedule), 1, {}, data) {
  make_links();
  for (noc::NodeId node = 0; node < topology.representatives().nodes(); ++node) {
    chips_.emplace_back(this->machine());
  }
}

DirectEngine::~DirectEngine() = default;

hw::chip::ChipTransfers& DirectEngine::chip(noc::NodeId chip) { return chips_[std::size_t(chip)]; }

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
      order.push_back({starts.empty() ? base::Time(0) : starts[first + std::size_t(core)], chip, core});
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
