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

CollectiveEngine::CollectiveEngine(sc_core::sc_module_name name, const TargetMachine& machine,
                                   const noc::FoldedTopology& topology, const std::vector<hw::chip::Chip*>& chips,
                                   noc::ici::Links* links, base::trace::ProbeSink* sink)
    : sc_module(name), LookAhead(machine, topology, links), chips_("chip", chips.size()), quantum_start_(*this) {
  const noc::Topology& slice = topology.representatives();
  assert(noc::NodeId(chips.size()) == slice.nodes());
  phases_.resize(chips.size() * std::size_t(cores_per_chip()));
  for (noc::NodeId chip = 0; chip < slice.nodes(); ++chip) {
    chips_[std::size_t(chip)].bind(chips[std::size_t(chip)]->transfers);
    ports_.push_back(chips[std::size_t(chip)]->ici());
    for (int core = 0; sink != nullptr && core < cores_per_chip(); ++core) {
      base::trace::Probe<std::string>& shown = CollectiveEngine::phase(chip, core);
      shown = {sink, fmt::format("chip{}.core{}", slice.name(chip), core), "collective"};
      shown.set(base::Time(0), "");
    }
  }
  assert(links == nullptr || sink == nullptr);
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
  if (has_links() && on_finish) {
    on_finish = [this, tell = std::move(on_finish)](noc::NodeId chip, int core) { core_finished(tell, chip, core); };
  }
  return add_run(std::move(schedule), std::move(on_finish), data);
}

void CollectiveEngine::forget_finished() {
  if (finished_.empty() && ahead_finishes_.empty() && !more_is_due()) forget_runs();
}

std::string CollectiveEngine::label(const noc::ici::Message& message) const {
  const CollectiveRun* run = run_of(message.channel);
  if (run == nullptr) return fmt::format("{} B", message.bytes.value());
  const MessageTag tag = unpack(message.tag);
  const schedule::CollectiveSchedule& schedule = run->schedule();
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
  LookAhead::at(when, rank, timer);
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
  if (more_is_due() && has_links()) return quantum_start_.wanted();
  wake_up();
}

/// The next event of any other module.
base::Time CollectiveEngine::end_of_quantum() const {
  if (!sc_core::sc_pending_activity()) return base::Time(std::numeric_limits<std::int64_t>::max());
  return base::systemc::now() + base::systemc::from_sc_time(sc_core::sc_time_to_pending_activity());
}

/// Does what is due before anything else can happen.
void CollectiveEngine::run_quantum() {
  base::Time until = end_of_quantum();
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

base::Time CollectiveEngine::now() const { return working_ ? served_until() : base::systemc::now(); }

void CollectiveEngine::send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) {
  if (has_links()) return LookAhead::send(run, chip, message);
  ports_[std::size_t(chip)]->send(message);
}

void CollectiveEngine::begun(CollectiveRun& run) {
  if (has_links()) return;
  for (noc::ici::IciPort* port : ports_) port->attach(run.channel(), run);
}

void CollectiveEngine::release(CollectiveRun& run) {
  if (!has_links()) {
    for (noc::ici::IciPort* port : ports_) port->detach(run.channel());
  }
  run.release();
}

}  // namespace podsim::sw::collectives::engine
