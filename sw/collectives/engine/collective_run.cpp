// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/collective_run.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sw/collectives/engine/core_run.h"
#include "sw/collectives/engine/message_tag.h"

namespace podsim::sw::collectives::engine {

CollectiveRun::CollectiveRun(Surroundings& engine, std::shared_ptr<const schedule::CollectiveSchedule> schedule,
                             std::uint32_t channel, OnFinish on_finish, CollectiveData* data)
    : engine_(engine),
      schedule_(std::move(schedule)),
      channel_(channel),
      on_finish_(std::move(on_finish)),
      data_(data) {
  const noc::NodeId chips = engine_.topology().representatives().nodes();
  const std::size_t cores = std::size_t(chips) * std::size_t(schedule_->cores_per_chip());
  times_.resize(cores);
  runs_.assign(cores, -1);
  cores_.reserve(cores);
  for (noc::NodeId chip = 0; chip < chips; ++chip) {
    const std::int32_t first = engine_.topology().full_node_of(chip) * schedule_->cores_per_chip();
    for (int core = 0; core < schedule_->cores_per_chip(); ++core) {
      if (!schedule_->takes_part(first + core)) continue;
      runs_[index(chip, core)] = std::int32_t(cores_.size());
      cores_.emplace_back(*this, chip, core);
    }
  }
  unfinished_ = cores_.size();
  if (unfinished_ > 0) engine_.begun(*this);
}

CollectiveRun::~CollectiveRun() = default;

void CollectiveRun::release() {
  assert(finished());
  std::vector<CoreRun>().swap(cores_);
  services_ = {};
}

void CollectiveRun::follow(std::shared_ptr<const PlannedOrder> order) {
  order_ = std::move(order);
  const noc::FoldedTopology& here = engine_.topology();
  for (noc::NodeId chip = 0; chip < here.representatives().nodes(); ++chip) {
    const noc::NodeId planned_as = order_->topology.representative_of(here.full_node_of(chip));
    services_.emplace_back(order_->actions[std::size_t(planned_as)]);
  }
}

void CollectiveRun::serve(const Surroundings::Timer& timer, std::uint64_t key) {
  services_[std::size_t(timer.core->chip_number())].come(key, timer,
                                                         [](const Surroundings::Timer& turn) { turn.core->due(turn); });
}

void CollectiveRun::start(noc::NodeId chip, int core) {
  times_[index(chip, core)].start = engine_.now();
  if (runs_[index(chip, core)] >= 0) return this->core(chip, core).start();
  times_[index(chip, core)].finish = engine_.now();
  if (on_finish_) on_finish_(chip, core);
}

CoreRun& CollectiveRun::core(noc::NodeId chip, int core) { return cores_[std::size_t(runs_[index(chip, core)])]; }

void CollectiveRun::phase_entered(const schedule::GroupSchedule& program, int stripe, int phase) {
  const base::Time now = engine_.now();
  const int order = stripe % program.orders();
  auto of = [&](int wanted) {
    return std::ranges::find_if(phases_, [&](const PhaseTimes& times) {
      return times.program == &program && times.order == order && times.phase == wanted;
    });
  };
  if (phase > 0) {
    if (auto left = of(phase - 1); left != phases_.end()) left->end = now;
  }
  if (phase == int(program.phases(stripe).size()) || of(phase) != phases_.end()) return;
  phases_.push_back({&program, order, phase, now, now});
}

base::Time CollectiveRun::duration() const {
  auto first =
      std::min_element(times_.begin(), times_.end(), [](const Times& a, const Times& b) { return a.start < b.start; });
  auto last = std::max_element(times_.begin(), times_.end(),
                               [](const Times& a, const Times& b) { return a.finish < b.finish; });
  return last->finish - first->start;
}

void CollectiveRun::message_taken(noc::NodeId chip, const noc::ici::Message& message, base::Time when) {
  const MessageTag tag = unpack(message.tag);
  core(chip, tag.source).link_took(tag, message.hops, when);
}

void CollectiveRun::message_received(noc::NodeId chip, const noc::ici::Message& message, base::Time when) {
  const MessageTag tag = unpack(message.tag);
  core(chip, tag.target).arrived(tag, when);
}

void CollectiveRun::core_finished(noc::NodeId chip, int core) {
  times_[index(chip, core)].finish = engine_.now();
  if (--unfinished_ == 0) engine_.finished(*this);
  if (on_finish_) on_finish_(chip, core);
}

}  // namespace podsim::sw::collectives::engine
