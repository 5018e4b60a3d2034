// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/collective_engine.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/systemc/systemc_time.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/core_run.h"
#include "sw/collectives/engine/message_tag.h"

namespace podsim::sw::collectives::engine {

namespace {

constexpr int between_returns = 1 << 20;  ///< timers, then the simulation may be interrupted

}  // namespace

CollectiveEngine::CollectiveEngine(sc_core::sc_module_name name, const hw::Machine& machine,
                                   const noc::FoldedTopology& topology, const std::vector<hw::chip::Chip*>& chips,
                                   base::trace::ProbeSink* sink)
    : sc_module(name), OwnLinks(machine, topology), chips_("chip", chips.size()), ahead_(*this) {
  const noc::Topology& slice = topology.representatives();
  assert(noc::NodeId(chips.size()) == slice.nodes());
  phases_.resize(chips.size() * std::size_t(cores_per_chip()));
  for (noc::NodeId chip = 0; chip < slice.nodes(); ++chip) {
    chips_[std::size_t(chip)].bind(chips[std::size_t(chip)]->transfers);
    if (noc::ici::IciPort* port = chips[std::size_t(chip)]->ici(); port != nullptr) ports_.push_back(port);
    for (int core = 0; sink != nullptr && core < cores_per_chip(); ++core) {
      phase(chip, core) = {sink, fmt::format("chip{}.core{}", slice.name(chip), core), "collective"};
      phase(chip, core).set(base::Time(0), "");
    }
  }
  assert(ports_.empty() || ports_.size() == chips.size());
  if (ports_.empty()) make_links();
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
  if (ports_.empty() && on_finish) {
    on_finish = [this, tell = std::move(on_finish)](noc::NodeId chip, int core) { core_finished(tell, chip, core); };
  }
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
  OwnLinks::at(when, rank, timer);
  if (!working_ && next_due() == when) wake_.notify(base::systemc::to_sc_time(when - base::systemc::now()));
}

void CollectiveEngine::work() {
  settled_ = !settled_;
  if (settled_) return next_trigger(sc_core::SC_ZERO_TIME);
  const base::Time now = base::systemc::now();
  working_ = true;
  set_time(now);
  for (const Finish& finish : std::exchange(ahead_finishes_, {})) (*finish.on_finish)(finish.chip, finish.core);
  while (more_is_due() && next_due() <= now) serve_next();
  working_ = false;
  for (CollectiveRun* run : std::exchange(finished_, {})) release(*run);
  if (more_is_due() && ports_.empty()) return ahead_.wanted();
  wake_up();
}

/// Does what is due before anything else can happen.
void CollectiveEngine::run_ahead() {
  const base::Time now = base::systemc::now();
  base::Time until = sc_core::sc_pending_activity()
                         ? now + base::systemc::from_sc_time(sc_core::sc_time_to_pending_activity())
                         : base::Time(std::numeric_limits<std::int64_t>::max());
  working_ = true;
  for (int count = 0; count < between_returns && more_is_due() && next_due() < until; ++count) {
    const CoreRun* core = next_core();
    if (core != nullptr && chip(core->chip_number()).follows_events()) break;
    serve_next();
    if (!ahead_finishes_.empty()) until = std::min(until, served_until() + base::Time(1));
  }
  working_ = false;
  for (CollectiveRun* run : std::exchange(finished_, {})) release(*run);
  wake_up();
}

void CollectiveEngine::wake_up() {
  if (!more_is_due() && ahead_finishes_.empty()) return;
  const base::Time next = ahead_finishes_.empty() ? next_due() : ahead_finishes_.front().when;
  wake_.notify(base::systemc::to_sc_time(next - base::systemc::now()));
}

/// What a core does next begins at the simulated time of its finish.
void CollectiveEngine::core_finished(const OnFinish& on_finish, noc::NodeId chip, int core) {
  if (now() == base::systemc::now()) return on_finish(chip, core);
  ahead_finishes_.push_back({now(), &on_finish, chip, core});
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

base::Time CollectiveEngine::now() const { return working_ ? served_until() : base::systemc::now(); }

void CollectiveEngine::send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) {
  if (ports_.empty()) return OwnLinks::send(run, chip, message);
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
