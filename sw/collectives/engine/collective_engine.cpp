// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/collective_engine.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/systemc/systemc_time.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/core_run.h"
#include "sw/collectives/engine/message_tag.h"

namespace podsim::sw::collectives::engine {

CollectiveEngine::CollectiveEngine(sc_core::sc_module_name name, const hw::Machine& machine,
                                   const noc::FoldedTopology& topology, const std::vector<hw::chip::Chip*>& chips,
                                   base::trace::ProbeSink* sink)
    : sc_module(name), Surroundings(machine, topology), chips_("chip", chips.size()) {
  const noc::Topology& slice = topology.representatives();
  assert(noc::NodeId(chips.size()) == slice.nodes());
  phases_.resize(chips.size() * std::size_t(cores_per_chip()));
  for (noc::NodeId chip = 0; chip < slice.nodes(); ++chip) {
    chips_[std::size_t(chip)].bind(chips[std::size_t(chip)]->transfers);
    ports_.push_back(chips[std::size_t(chip)]->ici());
    for (int core = 0; sink != nullptr && core < cores_per_chip(); ++core) {
      phase(chip, core) = {sink, fmt::format("chip{}.core{}", slice.name(chip), core), "collective"};
      phase(chip, core).set(base::Time(0), "");
    }
  }
  SC_HAS_PROCESS(CollectiveEngine);
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

CollectiveEngine::~CollectiveEngine() = default;

CollectiveRun& CollectiveEngine::begin(std::shared_ptr<const schedule::CollectiveSchedule> schedule, OnFinish on_finish,
                                       CollectiveData* data) {
  assert(schedule->slice() == topology().full() && schedule->cores_per_chip() == cores_per_chip());
  assert(data == nullptr || !topology().is_folded());
  auto channel = std::uint32_t(runs_.size() + 1);
  runs_.push_back(std::make_unique<CollectiveRun>(*this, std::move(schedule), channel, std::move(on_finish), data));
  return *runs_.back();
}

std::string CollectiveEngine::label(const noc::ici::Message& message) const {
  if (message.channel == 0 || message.channel > runs_.size()) return fmt::format("{} B", message.bytes.value());
  const MessageTag tag = unpack(message.tag);
  const schedule::CollectiveSchedule& schedule = runs_[message.channel - 1]->schedule();
  const std::int32_t core = topology().full_node_of(message.source) * cores_per_chip() + tag.source;
  const schedule::Phase& phase = schedule.program(core).phase_of(tag.segment);
  const auto step = phase.pattern->step(tag.segment);
  if (!step) {
    return fmt::format(FMT_COMPILE("{}, colour {}, segment {}"), phase.name, tag.segment.stripe, tag.segment.number);
  }
  return fmt::format(FMT_COMPILE("{} step {}, colour {}, segment {}"), phase.name, *step, tag.segment.stripe,
                     tag.segment.number);
}

void CollectiveEngine::at(base::Time when, std::uint32_t rank, const Timer& timer) {
  bool earliest = queue_.empty() || when < queue_.top().when;
  queue_.push(when, rank, timer);
  if (earliest && !working_) wake_.notify(base::systemc::to_sc_time(when - base::systemc::now()));
}

void CollectiveEngine::work() {
  settled_ = !settled_;
  if (settled_) return next_trigger(sc_core::SC_ZERO_TIME);
  base::Time now = base::systemc::now();
  working_ = true;
  while (!queue_.empty() && queue_.top().when <= now) {
    serve(queue_.pop().value);
  }
  working_ = false;
  for (CollectiveRun* run : std::exchange(finished_, {})) release(*run);
  if (!queue_.empty()) wake_.notify(base::systemc::to_sc_time(queue_.top().when - now));
}

void CollectiveEngine::serve(const Timer& timer) {
  if (record_ == nullptr && services_.empty()) return timer.core->due(timer);
  const auto chip = std::size_t(timer.core->chip_number());
  const std::uint64_t action = std::uint64_t(timer.core->number()) << 16 | std::uint64_t(timer.kind) << 8 | timer.queue;
  const std::uint64_t key = noc::ici::service_key(action, timer.tag);
  if (record_ != nullptr) (*record_)[chip].push_back(key);
  if (services_.empty()) return timer.core->due(timer);
  services_[chip].come(key, timer, [](const Timer& turn) { turn.core->due(turn); });
}

void CollectiveEngine::record(std::vector<noc::ici::ServiceOrder>& orders) {
  orders.resize(chips_.size());
  record_ = &orders;
}

void CollectiveEngine::follow(const std::vector<noc::ici::ServiceOrder>& orders, const noc::FoldedTopology& recorded) {
  services_.reserve(chips_.size());
  for (noc::NodeId chip = 0; chip < noc::NodeId(chips_.size()); ++chip) {
    services_.emplace_back(orders[std::size_t(recorded.representative_of(topology().full_node_of(chip)))]);
  }
}

base::Time CollectiveEngine::now() const { return base::systemc::now(); }

void CollectiveEngine::send(CollectiveRun&, noc::NodeId chip, const noc::ici::Message& message) {
  ports_[std::size_t(chip)]->send(message);
}

void CollectiveEngine::begun(CollectiveRun& run) {
  for (noc::ici::IciPort* port : ports_) port->attach(run.channel(), run);
}

void CollectiveEngine::release(CollectiveRun& run) {
  for (noc::ici::IciPort* port : ports_) port->detach(run.channel());
  run.release();
}

}  // namespace podsim::sw::collectives::engine
