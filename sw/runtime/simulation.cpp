// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>
#include <utility>

#include "base/diagnostic.h"
#include "base/systemc/sliced_run.h"
#include "base/systemc/systemc_time.h"
#include "hw/timing/vmem_account.h"
#include "sw/runtime/pod/simulated_pod.h"
#include "sw/runtime/run_statistics.h"
#include "sw/runtime/step_results.h"

namespace podsim::sw::runtime {
namespace {

/// A core that replays an op does not allocate its VMEM, while one that runs its tiles would fail.
void check_that_ops_fit(const compiler::Program& program, const hw::Machine& machine) {
  for (const compiler::CompiledOp& op : program.ops) {
    hw::timing::VmemAccount(machine.vmem, "every core").allocate(op.tiles.name, op.tiles.vmem);
  }
}

/// Whether collectives alone send over the links, unseen. At detail chip the memory of a chip sends over them too.
bool collectives_are_alone(const SimulationOptions& options) {
  return options.sink == nullptr && options.detail != Detail::chip;
}

}  // namespace

Simulation::Simulation(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
                       SimulationOptions options)
    : program_(program),
      machine_(machine),
      options_(std::move(options)),
      records_(program, machine, options_.op_cache),
      schedules_(pod::schedules_of(program, machine, slice, options_.algorithm)),
      reductions_(program, machine, slice, schedules_, options_),
      parts_(options_.detail == Detail::chip ? std::optional(ChipParts(program, options_.chip_ops)) : std::nullopt),
      inputs_(make_inputs()),
      real_(real_chips(options_.detail, options_.real, topology())),
      pod_(make_pod()),
      waits_(pod_->chips()),
      collectives_(machine, topology(), *pod_, schedules_, waits_, collectives_are_alone(options_), options_.sink),
      background_("background", machine, pod_->chips(),
                  [this](std::size_t core, std::uint64_t execution) { waits_.over(core, execution); }),
      feed_(program, machine.cores_per_chip, options_.steps,
            {records_, parts_ ? &*parts_ : nullptr, real_, reductions_.fold().by_formula, waits_, collectives_,
             background_}),
      observation_({program, machine, topology(), pod_->network().links(), records_, waits_, collectives_},
                   parts_.has_value(), options_.timeline) {
  make_cores();
}

std::unique_ptr<hw::input::HostInputs> Simulation::make_inputs() const {
  if (!options_.input) return nullptr;
  return std::make_unique<hw::input::HostInputs>("inputs", *options_.input, options_.sink);
}

std::unique_ptr<hw::pod::Pod> Simulation::make_pod() {
  const auto memory = parts_ ? hw::memory::MemoryDetail::bank : hw::memory::MemoryDetail::stream;
  return pod::make_pod(topology(), machine_, *this,
                       {real_, memory, options_.contention, inputs_.get(), options_.sink, options_.timeline});
}

/// Makes the states of the simulated cores, and prepares their batches.
void Simulation::make_cores() {
  const auto cores = std::int32_t(machine_.cores_per_chip);
  for (noc::NodeId chip = 0; chip < topology().representatives().nodes(); ++chip) {
    for (std::int32_t core = 0; core < cores; ++core) {
      const std::int32_t number = topology().full_node_of(chip) * cores + core;
      SimulatedCore& at = cores_.emplace_back(program_, cores_.size(), number);
      at.observer = observation_.observe(number, chip == 0);
      pod_->chip(chip).host().prepare(core, batch_of(program_, number));
    }
  }
}

/// Simulates until no event is pending, a core fails, or the run is stopped from outside, also while no core requests
/// commands.
RunResult Simulation::run() {
  if (options_.detail != Detail::tile) check_that_ops_fit(program_, machine_);
  base::systemc::run_in_slices([this] { return !verdict_.empty() || stopped(); });
  if (!verdict_.empty()) throw base::SimulationError(verdict_);
  if (!stopped()) check_that_all_finished();
  return result();
}

base::Time Simulation::now() const { return base::systemc::now(); }

std::optional<hw::Command> Simulation::next_command(hw::core::Core& core) {
  SimulatedCore& at = state(core.id());
  if (at.cursor.at_end_of_step()) at.cursor.begin_next_step();
  at.finished = at.cursor.step() == options_.steps || stopped() || at.cursor.at_end_of_step();
  if (at.finished) return std::nullopt;
  if (const auto skip = reductions_.skip_now(at, core.now(), observation_)) {
    if (skip->verdict.empty()) return hw::Delay{skip->duration};
    failed(core, skip->verdict);
  }
  at.finished = !verdict_.empty();
  if (at.finished) return std::nullopt;
  return feed_.command_for(at);
}

void Simulation::completed(hw::core::Core& core, const hw::CommandRecord& record) {
  SimulatedCore& at = state(core.id());
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
  options_.progress((double(at.step()) + double(at.item()) / double(program_.items.size())) / options_.steps);
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
  const auto index = std::int64_t(waiting->index), cores = std::int64_t(machine_.cores_per_chip);
  const compiler::ProgramItem& item = program_.items[std::size_t(waiting->cursor.item())];
  throw base::SimulationError(fmt::format("deadlock at {}: chip{} core {} waits in step {} for {} '{}'",
                                          base::to_string(now()),
                                          topology().representatives().name(noc::NodeId(index / cores)), index % cores,
                                          waiting->cursor.step(), item.category, item.hlo_name));
}

RunResult Simulation::result() {
  RunResult result = observation_.result();
  result.partial = stopped() && result.steps < options_.steps;
  result.simulated_chips = topology().representatives().nodes();
  for (std::size_t chip = 0; chip < real_.size(); ++chip) {
    if (real_[chip]) result.real_chips.push_back(topology().full().name(topology().full_node_of(noc::NodeId(chip))));
  }
  result.collectives = collective_results(program_, result.items, schedules_, reductions_.fold(), collectives_);
  result.notes = notes(result.steps);
  if (parts_ && !result.partial) {
    const auto streams = [this](int op) { return machine_.core_clock().time_of(records_.of(op).cycles); };
    result.parts = parts_->result(observation_.first_core_items(), streams);
  }
  const noc::ici::Links& links = pod_->network().links();
  result.statistics = run_statistics(result, links.messages_delivered(), links.hops());
  return result;
}

/// On what the run reduces, and what it does not do as the options say.
std::vector<std::string> Simulation::notes(int steps) const {
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  if (options_.algorithm) add(pod::notes_of_other_algorithms(program_, *options_.algorithm));
  add(reductions_.fold().notes);
  if (options_.input && options_.input->hosts > options_.input->simulated_hosts()) {
    add({fmt::format("{} hosts prepare their batches in the same constant times: one is simulated",
                     options_.input->hosts)});
  }
  if (topology().is_folded()) {
    add({fmt::format("{}: chips that do the same at the same time are simulated once", noc::to_string(topology()))});
  }
  add(reductions_.notes(steps));
  return notes;
}

}  // namespace podsim::sw::runtime
