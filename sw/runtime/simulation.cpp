// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <systemc>

#include "base/diagnostic.h"
#include "base/systemc/sliced_run.h"
#include "base/systemc/systemc_time.h"
#include "hw/timing/vmem_account.h"
#include "noc/folded_topology.h"
#include "sw/runtime/pod/simulated_pod.h"

namespace podsim::sw::runtime {
Simulation::Simulation(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
                       SimulationOptions options)
    : program_(program),
      machine_(machine),
      options_(std::move(options)),
      records_(program, machine, options_.op_cache),
      schedules_(pod::schedules_of(program, machine, slice, options_.algorithm)),
      fold_(fold(slice)) {
  if (options_.algorithm) result_.notes = pod::notes_of_other_algorithms(program, *options_.algorithm);
  if (may_skip_segments()) find_segments();
  if (options_.detail == Detail::chip) parts_.emplace(program, options_.chip_ops);
  result_.notes.insert(result_.notes.end(), fold_.notes.begin(), fold_.notes.end());
  const noc::FoldedTopology& topology = fold_.topology;
  const noc::Topology& chips = topology.representatives();
  if (options_.input) make_inputs();
  real_ = real_chips(options_.detail, options_.real, topology);
  make_pod();
  make_states();
  find_known_stretches();
  result_.simulated_chips = chips.nodes();
  for (noc::NodeId chip = 0; chip < chips.nodes(); ++chip) {
    if (real_[std::size_t(chip)]) result_.real_chips.push_back(slice.name(topology.full_node_of(chip)));
  }
  if (topology.is_folded()) {
    result_.notes.push_back(
        fmt::format("{}: chips that do the same at the same time are simulated once", noc::to_string(topology)));
  }
}

Simulation::~Simulation() = default;

pod::Fold Simulation::fold(const noc::Topology& slice) const {
  if (!options_.fold || options_.detail == Detail::tile) return {slice};
  return pod::fold(program_, machine_, slice, schedules_);
}

/// Makes chips and fabric, and what moves data among them.
void Simulation::make_pod() {
  const auto memory = parts_ ? hw::memory::MemoryDetail::bank : hw::memory::MemoryDetail::stream;
  pod_ = pod::make_pod(fold_.topology, machine_, *this,
                       {real_, memory, options_.contention, inputs_.get(), options_.sink, options_.timeline});
  waits_.emplace(pod_->chips());
  // At detail chip the memory of a chip sends over the links too.
  const bool alone = options_.sink == nullptr && options_.detail != Detail::chip;
  collectives_ = std::make_unique<waits::RunningCollectives>(machine_, fold_.topology, *pod_, schedules_, *waits_,
                                                             alone, options_.sink);
  background_ = std::make_unique<waits::BackgroundOps>(
      "background", machine_, pod_->chips(),
      [this](std::size_t core, std::uint64_t execution) { waits_->over(core, execution); });
  feed_.emplace(program_, machine_.cores_per_chip, options_.steps,
                ProgramFeed::Executors{records_, parts_ ? &*parts_ : nullptr, real_, fold_.by_formula, *waits_,
                                       *collectives_, *background_});
  const Observation::Subjects subjects{program_, machine_, fold_.topology, pod_->network().links(),
                                       records_, *waits_,  *collectives_};
  observation_.emplace(subjects, parts_.has_value(), options_.timeline);
}

void Simulation::make_inputs() {
  inputs_ = std::make_unique<hw::input::HostInputs>("inputs", *options_.input, options_.sink);
  if (options_.input->hosts > options_.input->simulated_hosts()) {
    result_.notes.push_back(fmt::format("{} hosts prepare their batches in the same constant times: one is simulated",
                                        options_.input->hosts));
  }
}

/// Makes the states of the simulated cores, and prepares their batches.
void Simulation::make_states() {
  const noc::FoldedTopology& topology = fold_.topology;
  const auto cores = std::int32_t(machine_.cores_per_chip);
  for (noc::NodeId chip = 0; chip < topology.representatives().nodes(); ++chip) {
    for (std::int32_t core = 0; core < cores; ++core) {
      const std::int32_t number = topology.full_node_of(chip) * cores + core;
      CoreState& at = states_.emplace_back(program_, states_.size(), number);
      at.observer = observation_->observe(number, chip == 0);
      pod_->chip(chip).host().prepare(core, batch_of(program_, number));
    }
  }
}

/// Runs the simulation until no event is pending, a core fails, or the run is stopped from outside, also while no core
/// requests commands.
void Simulation::advance() {
  base::systemc::run_in_slices([this] { return !verdict_.empty() || stopped(); });
}

RunResult Simulation::run() {
  if (options_.detail != Detail::tile) check_that_ops_fit();
  advance();
  if (!verdict_.empty()) throw base::SimulationError(verdict_);
  if (!stopped()) check_that_all_finished();
  collect();
  return result_;
}

base::Time Simulation::now() const { return base::systemc::now(); }

std::optional<hw::Command> Simulation::next_command(hw::core::Core& core) {
  CoreState& at = state(core.id());
  if (at.cursor.at_end_of_step()) at.cursor.begin_next_step();
  if (at.cursor.step() == options_.steps || stopped() || at.cursor.at_end_of_step()) {
    at.finished = true;
    return std::nullopt;
  }
  begins_item(core, at);
  if (std::optional<hw::Command> skip = skip_trips(core, at)) return skip;
  if (std::optional<hw::Command> skip = skip_stretch(at)) return skip;
  if (!verdict_.empty()) {
    at.finished = true;
    return std::nullopt;
  }
  return feed_->command_for(at);
}

void Simulation::completed(hw::core::Core& core, const hw::CommandRecord& record) {
  CoreState& at = state(core.id());
  if (at.skipped.trips > 0) return observe_skipped(at, core, record);
  if (at.stretch == nullptr && at.observer >= 0) {
    const ItemResult item = observation_->item_ended(at, record, core.time_of(record.start), core.time_of(record.end));
    if (const int place = known_ ? known_->place(position(at)) : -1; place >= 0) {
      at.by_place[std::size_t(place)] = item;
    }
  }
  feed_->executed(at, record.op);
  if (at.stretch != nullptr) {
    stretch_over(at, core, record);
  } else {
    at.cursor.advance();
  }
  if (at.cursor.at_end_of_step()) {
    observation_->step_ended(at, core.time_of(record.end));
    if (at.is_first()) last_stretch_items_ = std::exchange(stretch_items_, 0);
  }
  if (at.is_first() && options_.progress) {
    const double items = double(program_.items.size());
    options_.progress((double(at.cursor.step()) + double(at.cursor.item()) / items) / options_.steps);
  }
}

void Simulation::start_external(hw::core::Core& core, const hw::External& command) {
  feed_->reached(state(core.id()), command);
}

void Simulation::failed(hw::core::Core&, const std::string& verdict) {
  if (verdict_.empty()) verdict_ = verdict;
  sc_core::sc_stop();
}

/// A core that replays an op does not allocate its VMEM, while one that runs its tiles would fail.
void Simulation::check_that_ops_fit() const {
  for (const compiler::CompiledOp& op : program_.ops) {
    hw::timing::VmemAccount(machine_.vmem, "every core").allocate(op.tiles.name, op.tiles.vmem);
  }
}

void Simulation::check_that_all_finished() const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].finished) continue;
    std::int64_t cores = machine_.cores_per_chip;
    const compiler::ProgramItem& item = program_.items[std::size_t(states_[i].cursor.item())];
    throw base::SimulationError(fmt::format(
        "deadlock at {}: chip{} core {} waits in step {} for {} '{}'", base::to_string(base::systemc::now()),
        fold_.topology.representatives().name(noc::NodeId(std::int64_t(i) / cores)), std::int64_t(i) % cores,
        states_[i].cursor.step(), item.category, item.hlo_name));
  }
}

}  // namespace podsim::sw::runtime
