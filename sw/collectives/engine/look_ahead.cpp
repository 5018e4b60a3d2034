// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/look_ahead.h"

#include <algorithm>
#include <utility>

#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/core_run.h"

namespace podsim::sw::collectives::engine {

LookAhead::LookAhead(const TargetMachine& machine, const noc::FoldedTopology& topology, noc::ici::Links* links)
    : Surroundings(machine, topology), links_(links) {}

LookAhead::~LookAhead() = default;

CollectiveRun& LookAhead::add_run(std::shared_ptr<const schedule::CollectiveSchedule> schedule, OnFinish on_finish,
                                  CollectiveData* data) {
  const auto channel = std::uint32_t(runs_.size() + 1);
  runs_.push_back(std::make_unique<CollectiveRun>(*this, std::move(schedule), channel, std::move(on_finish), data));
  return *runs_.back();
}

void LookAhead::forget_runs() {
  const auto is_finished = [](const auto& run) { return run->finished(); };
  if (std::ranges::all_of(runs_, is_finished)) runs_.clear();
}

const CollectiveRun* LookAhead::run_of(std::uint32_t channel) const {
  return channel == 0 || channel > runs_.size() ? nullptr : runs_[channel - 1].get();
}

void LookAhead::record(std::vector<noc::ici::ServiceOrder>& orders) {
  orders.resize(std::size_t(topology().representatives().nodes()));
  record_ = &orders;
}

void LookAhead::follow(const std::vector<noc::ici::ServiceOrder>& orders, const noc::FoldedTopology& recorded) {
  for (noc::NodeId chip = 0; chip < topology().representatives().nodes(); ++chip) {
    services_.emplace_back(orders[std::size_t(recorded.representative_of(topology().full_node_of(chip)))]);
  }
}

bool LookAhead::more_is_due() {
  const auto due_now = [this] { return (head_is_next() || !timers_.empty()) && next_due() <= now_; };
  if (!taken_at_once_.empty() && !due_now()) {
    for (const Taken& taken : std::exchange(taken_at_once_, {})) {
      taken.run->message_taken(taken.chip, taken.message, now_);
    }
  }
  return head_is_next() || !timers_.empty();
}

void LookAhead::serve_next() {
  now_ = next_due();
  if (head_is_next()) return links_->serve_next();
  serve(timers_.pop().value);
}

void LookAhead::serve(const Timer& timer) {
  CollectiveRun& run = timer.core->run();
  if (record_ == nullptr && services_.empty() && !run.follows()) return timer.core->due(timer);
  const auto chip = std::size_t(timer.core->chip_number());
  const std::uint64_t action = std::uint64_t(timer.core->number()) << 16 | std::uint64_t(timer.kind) << 8 | timer.queue;
  const std::uint64_t key = noc::ici::service_key(action, timer.tag);
  if (record_ != nullptr) (*record_)[chip].push_back(key);
  if (run.follows()) return run.serve(timer, key);
  if (services_.empty()) return timer.core->due(timer);
  services_[chip].come(key, timer, [](const Timer& turn) { turn.core->due(turn); });
}

void LookAhead::at(base::Time when, std::uint32_t rank, const Timer& timer) { timers_.push(when, rank, timer); }

/// Messages between neighbours reach a core one after another, so the order of those of one time decides nothing.
void LookAhead::send(CollectiveRun& run, noc::NodeId, const noc::ici::Message& message) {
  const bool in_any_order = run.schedule().to_neighbours();
  links_->send(message, *this, in_any_order ? noc::ici::Delivery::ahead : noc::ici::Delivery::in_turn, now_);
}

void LookAhead::message_taken(noc::NodeId chip, const noc::ici::Message& message, base::Time when) {
  CollectiveRun& run = *runs_[message.channel - 1];
  if (when > now_) return run.message_taken(chip, message, when);
  taken_at_once_.push_back({&run, chip, message});
}

void LookAhead::message_received(noc::NodeId chip, const noc::ici::Message& message, base::Time when) {
  runs_[message.channel - 1]->message_received(chip, message, when);
}

}  // namespace podsim::sw::collectives::engine
