// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/collective_run.h"

#include <algorithm>
#include <cassert>

#include "noc/systemc_time.h"
#include "sw/collectives/core_run.h"

namespace podsim::sw {

CollectiveRun::CollectiveRun(CollectiveEngine& engine, std::shared_ptr<const AllReduceSchedule> schedule,
                             std::uint32_t channel, CollectiveEngine::OnFinish on_finish)
    : engine_(engine), schedule_(std::move(schedule)), channel_(channel), on_finish_(std::move(on_finish)) {
  noc::NodeId chips = engine_.topology().representatives().nodes();
  cores_.reserve(std::size_t(chips) * schedule_->cores_per_chip());
  for (noc::NodeId chip = 0; chip < chips; ++chip) {
    engine_.port(chip).attach(channel_, *this);
    for (int core = 0; core < schedule_->cores_per_chip(); ++core) cores_.emplace_back(*this, chip, core);
  }
  times_.resize(cores_.size());
  unfinished_ = cores_.size();
}

CollectiveRun::~CollectiveRun() = default;

void CollectiveRun::release() {
  assert(finished());
  for (noc::NodeId chip = 0; chip < engine_.topology().representatives().nodes(); ++chip) {
    engine_.port(chip).detach(channel_);
  }
  std::vector<CoreRun>().swap(cores_);
  on_finish_ = {};
}

void CollectiveRun::start(noc::NodeId chip, int core) {
  times_[index(chip, core)].start = noc::now();
  cores_[index(chip, core)].start();
}

CoreRun& CollectiveRun::core(noc::NodeId chip, int core) { return cores_[index(chip, core)]; }

base::Time CollectiveRun::duration() const {
  auto first =
      std::min_element(times_.begin(), times_.end(), [](const Times& a, const Times& b) { return a.start < b.start; });
  auto last = std::max_element(times_.begin(), times_.end(),
                               [](const Times& a, const Times& b) { return a.finish < b.finish; });
  return last->finish - first->start;
}

void CollectiveRun::message_taken(noc::NodeId chip, const noc::Message& message) {
  core(chip, schedule_->owner(unpack(message.tag).colour)).link_took(message.tag);
}

void CollectiveRun::message_received(noc::NodeId chip, const noc::Message& message) {
  core(chip, schedule_->owner(unpack(message.tag).colour)).arrived(message.tag);
}

void CollectiveRun::core_finished(noc::NodeId chip, int core) {
  times_[index(chip, core)].finish = noc::now();
  if (--unfinished_ == 0) engine_.finished(*this);
  if (on_finish_) on_finish_(chip, core);
}

}  // namespace podsim::sw
