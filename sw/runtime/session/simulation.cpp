// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/session/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <systemc>
#include <utility>

#include "base/diagnostic.h"
#include "base/systemc/sliced_run.h"
#include "base/systemc/systemc_time.h"
#include "hw/timing/vmem_account.h"
#include "sw/runtime/run_activity.h"
#include "sw/runtime/run_statistics.h"
#include "sw/runtime/step_results.h"

namespace podsim::sw::runtime::session {
namespace {

/// A core that replays an op does not allocate its VMEM, while one that runs its tiles would fail.
void check_that_ops_fit(const compiler::Program& program, const TargetMachine& machine) {
  for (const compiler::CompiledOp& op : program.ops) {
    hw::timing::VmemAccount(machine.vmem, "every core").allocate(op.tiles.name, op.tiles.vmem);
  }
}

/// Has every link carry the mean of all, where no message was simulated.
void share_link_bytes(RunResult& result, const noc::Topology& slice, const TargetMachine& machine) {
  std::int64_t links = 0;
  for (noc::LinkId id = 0; id < slice.link_ids(); ++id) links += slice.link(id) ? 1 : 0;
  if (links == 0) return;
  const base::Bytes mean(result.activity.slice.link_bytes.value() / links);
  for (noc::LinkId id = 0; id < slice.link_ids(); ++id) {
    if (slice.link(id)) result.link_bytes[std::size_t(id)] = mean;
  }
  const double capacity = machine.ici.payload_rate().si() * base::to_duration(result.step_time).si();
  result.ici_utilization = capacity > 0 ? double(mean.value()) / capacity : 0;
}

/// The first of the chips with the slowest clock, and of those with the slowest HBM.
noc::NodeId slowest_chip(const noc::Faults& faults, const noc::FoldedTopology& slice) {
  noc::NodeId slowest = 0;
  const auto speed = [&](noc::NodeId chip) {
    const noc::ChipSpeed of = faults.chip_speed(chip);
    return std::pair(of.clock * of.hbm, of.clock);
  };
  for (noc::NodeId chip = 1; !faults.none() && chip < slice.full().nodes(); ++chip) {
    if (speed(chip) < speed(slowest)) slowest = chip;
  }
  return slowest;
}

std::size_t cores_of(const SimulatedSlice& slice, const TargetMachine& machine) {
  return std::size_t(slice.topology().representatives().nodes()) * std::size_t(machine.cores_per_chip);
}

}  // namespace

Simulation::Simulation(LoadedProgram& loaded, SimulatedSlice& slice, const TargetMachine& machine,
                       const SimulationOptions& options, const Steps& steps)
    : loaded_(loaded),
      program_(loaded.program),
      slice_(slice),
      machine_(machine),
      options_(options),
      steps_(steps.number),
      messages_before_(slice.pod().network().links().messages_delivered()),
      hops_before_(slice.pod().network().links().hops()),
      reductions_(program_, machine.clock, cores_of(slice, machine), steps_, options),
      parts_(options.detail == Detail::chip ? std::optional(ChipParts(program_, options.chip_ops)) : std::nullopt),
      waits_(slice.pod().chips()),
      collectives_(slice.engine(), loaded.schedules, waits_, machine.cores_per_chip),
      feed_(program_, machine.cores_per_chip, steps_,
            {loaded.records, parts_ ? &*parts_ : nullptr, slice.real(), loaded.fold, waits_, collectives_,
             slice.background()}),
      observation_({program_, machine, topology(), slice.pod().network().links(), loaded.records, waits_, collectives_,
                    follows_orders(options)},
                   parts_.has_value(), options.timeline, {base::systemc::now(), steps.name}) {
  if (takes_parts(program_, steps_, cores_of(slice, machine), slice.topology(), options)) {
    collectives_.take_in_parts(std::make_unique<parts::PartedCollectives>(
        machine, topology().full(), loaded.schedules, slice.pod().network().look_ahead(), slice.alarms(),
        [this](std::size_t core, std::uint64_t execution) { waits_.over(core, execution); }));
  }
  if (!loaded.orders.empty()) collectives_.follow(loaded.orders, slice.pod().network().links());
  make_cores();
}

/// Makes the states of the simulated cores, and prepares their batches.
void Simulation::make_cores() {
  const auto cores = std::int32_t(machine_.cores_per_chip);
  const noc::NodeId slowest = slowest_chip(options_.faults, topology());
  for (noc::NodeId chip = 0; chip < topology().representatives().nodes(); ++chip) {
    for (std::int32_t core = 0; core < cores; ++core) {
      const std::int32_t number = topology().full_node_of(chip) * cores + core;
      SimulatedCore& at = cores_.emplace_back(program_, cores_.size(), number);
      at.observer = observation_.observe(number, chip == 0 || chip == slowest);
      slice_.pod().chip(chip).host().prepare(core, batch_of(program_, number));
    }
  }
}

/// Simulates until all cores have finished, a core fails, or the run is stopped from outside, also while no core
/// requests commands.
RunResult Simulation::run() {
  if (options_.detail != Detail::tile) check_that_ops_fit(program_, machine_);
  slice_.run(this);
  const auto ends = [this] { return !verdict_.empty() || stopped(); };
  base::systemc::run_in_slices([&] { return ends() || finished_ == cores_.size(); });
  // What no core waits for.
  if (!ends() && finished_ == cores_.size() && !waits_.all_over()) base::systemc::run_in_slices(ends);
  if (!verdict_.empty()) throw base::SimulationError(verdict_);
  if (!stopped()) check_that_all_finished();
  return result();
}

std::optional<hw::Command> Simulation::next_command(hw::core::Core& core) {
  SimulatedCore& at = state(core.id());
  std::optional<hw::Command> command = command_for(at, core);
  if (!command) {
    at.finished = true;
    if (++finished_ == cores_.size() && verdict_.empty()) sc_core::sc_pause();
  }
  return command;
}

std::optional<hw::Command> Simulation::command_for(SimulatedCore& at, hw::core::Core& core) {
  if (at.cursor.at_end_of_step()) at.cursor.begin_next_step();
  if (at.cursor.step() == steps_ || stopped() || at.cursor.at_end_of_step()) return std::nullopt;
  if (const auto late = delay_of(at)) return *late;
  if (const auto skip = reductions_.skip_now(at, core.now(), observation_)) {
    if (skip->verdict.empty()) return hw::Delay{skip->duration};
    failed(core, skip->verdict);
  }
  if (!verdict_.empty()) return std::nullopt;
  return feed_.command_for(at);
}

/// What a core waits before it begins a step, at its beginning.
std::optional<hw::Delay> Simulation::delay_of(SimulatedCore& at) const {
  if (!options_.faults.any_jitter() || at.begun > at.cursor.step()) return std::nullopt;
  at.begun = at.cursor.step() + 1;
  at.late = true;
  const auto chip = noc::NodeId(std::int64_t(at.index) / machine_.cores_per_chip);
  return hw::Delay{machine_.core_clock().edge_at_or_after(options_.faults.delay(chip, at.cursor.step()))};
}

void Simulation::completed(hw::core::Core& core, const hw::CommandRecord& record) {
  SimulatedCore& at = state(core.id());
  if (std::exchange(at.late, false)) {
    if (at.observer >= 0) observation_.of(at).idle_until(core.time_of(record.end));
    return;
  }
  if (!reductions_.trip_over(at, core, record, observation_)) {
    if (at.observer >= 0) {
      reductions_.observed(at,
                           observation_.item_ended(at, record, core.time_of(record.start), core.time_of(record.end)));
    }
    feed_.executed(at, record.op);
    at.cursor.advance();
  }
  if (at.cursor.at_end_of_step()) observation_.step_ended(at, core.time_of(record.end));
  if (at.is_first() && options_.progress) report_progress(at.cursor);
}

void Simulation::report_progress(const ProgramCursor& at) const {
  options_.progress((double(at.step()) + double(at.item()) / double(program_.items.size())) / steps_);
}

void Simulation::start_external(hw::core::Core& core, const hw::External& command) {
  feed_.reached(state(core.id()), command);
}

void Simulation::failed(hw::core::Core&, const std::string& verdict) {
  if (verdict_.empty()) verdict_ = verdict;
  sc_core::sc_stop();
}

void Simulation::check_that_all_finished() const {
  const auto waiting = std::ranges::find(cores_, false, &SimulatedCore::finished);
  if (waiting == cores_.end()) return;
  slice_.pod().network().links().check();
  const auto index = std::int64_t(waiting->index), cores = std::int64_t(machine_.cores_per_chip);
  const compiler::ProgramItem& item = program_.items[std::size_t(waiting->cursor.item())];
  throw base::SimulationError(fmt::format("deadlock at {}: chip{} core {} waits in step {} for {} '{}'",
                                          base::to_string(base::systemc::now()),
                                          topology().representatives().name(noc::NodeId(index / cores)), index % cores,
                                          waiting->cursor.step(), item.category, item.hlo_name));
}

RunResult Simulation::result() {
  RunResult result = observation_.result();
  result.activity = step_activity(program_, machine_, loaded_.schedules, loaded_.fold, observation_);
  if (loaded_.fold.one_for_all) share_link_bytes(result, topology().full(), machine_);
  result.partial = stopped() && result.steps < steps_;
  result.reported_core = observation_.reported_core();
  result.simulated_chips = topology().representatives().nodes();
  for (std::size_t chip = 0; chip < slice_.real().size(); ++chip) {
    if (slice_.real()[chip])
      result.real_chips.push_back(topology().full().name(topology().full_node_of(noc::NodeId(chip))));
  }
  result.collectives = collective_results(program_, result.items, loaded_.schedules, loaded_.fold, collectives_);
  result.notes = notes(result.steps);
  if (parts_ && !result.partial) {
    const auto streams = [this](int op) { return machine_.core_clock().time_of(loaded_.records.of(op).cycles); };
    result.parts = parts_->result(observation_.first_core_items(), streams);
  }
  const noc::ici::Links& links = slice_.pod().network().links();
  result.statistics =
      run_statistics(result, links.messages_delivered() - messages_before_, links.hops() - hops_before_);
  return result;
}

/// On what the run reduces, and what it does not do as the options say.
std::vector<std::string> Simulation::notes(int steps) const {
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  if (options_.algorithm) add(pod::notes_of_other_algorithms(program_, *options_.algorithm));
  add(loaded_.fold.notes);
  if (options_.input && options_.input->hosts > options_.input->simulated_hosts()) {
    add({fmt::format("{} hosts prepare their batches in the same constant times: one is simulated",
                     options_.input->hosts)});
  }
  if (topology().is_folded() && !loaded_.fold.one_for_all) {
    add({fmt::format("{}: chips that do the same at the same time are simulated once", noc::to_string(topology()))});
  }
  add(collectives_.notes());
  add(reductions_.notes(steps));
  return notes;
}

}  // namespace podsim::sw::runtime::session
