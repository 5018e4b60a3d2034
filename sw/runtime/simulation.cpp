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
namespace {

/// The unit that is busiest in an op; Bound::latency if none is busy for half of it.
Bound bound_of(const hw::OpResult& cost, std::int64_t mxus) {
  struct Share {
    Bound bound;
    std::int64_t busy;
  };
  Share most{Bound::latency, cost.cycles.value() / 2};
  for (Share share :
       {Share{Bound::mxu, cost.mxu_busy.value() / mxus}, Share{Bound::vector, cost.vector_busy.value()},
        Share{Bound::cross_lane, cost.cross_lane_busy.value()}, Share{Bound::hbm, cost.hbm_busy.value()}}) {
    if (share.busy > most.busy) most = share;
  }
  return most.bound;
}

}  // namespace

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
  link_bytes_.resize(std::size_t(chips.link_ids()));
  skipped_bytes_.resize(link_bytes_.size());
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
}

void Simulation::make_inputs() {
  inputs_ = std::make_unique<hw::input::HostInputs>("inputs", *options_.input, options_.sink);
  if (options_.input->hosts > options_.input->simulated_hosts()) {
    result_.notes.push_back(fmt::format("{} hosts prepare their batches in the same constant times: one is simulated",
                                        options_.input->hosts));
  }
}

/// Makes the states of the simulated cores, and assigns observers to them.
void Simulation::make_states() {
  const noc::FoldedTopology& topology = fold_.topology;
  const auto cores = std::int32_t(machine_.cores_per_chip);
  const auto branches_of = [&](std::int32_t core) {
    std::vector<bool> taken;
    for (const auto& set : program_.core_sets) taken.push_back(std::ranges::binary_search(set, core));
    return taken;
  };
  std::map<std::vector<bool>, std::size_t> stages;
  for (std::int32_t core = 0; core < topology.full().nodes() * cores; ++core) {
    const auto [stage, is_new] = stages.try_emplace(branches_of(core), stages_.size());
    if (is_new) stages_.push_back({.first_core = core});
    ++stages_[stage->second].cores;
  }
  stage_observers_.assign(stages_.size(), -1);
  for (noc::NodeId chip = 0; chip < topology.representatives().nodes(); ++chip) {
    for (std::int32_t core = 0; core < cores; ++core) {
      const std::int32_t number = topology.full_node_of(chip) * cores + core;
      CoreState& at = states_.emplace_back(program_, states_.size(), number);
      int& observer = stage_observers_[stages.at(branches_of(number))];
      if (chip == 0 || observer < 0) {
        at.observer = int(observers_.size());
        observers_.emplace_back();
      }
      if (observer < 0) observer = at.observer;
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
  if (std::optional<hw::Command> skip = skip_stretch(core, at)) return skip;
  if (!verdict_.empty()) {
    at.finished = true;
    return std::nullopt;
  }
  return feed_->command_for(at);
}

void Simulation::completed(hw::core::Core& core, const hw::CommandRecord& record) {
  CoreState& at = state(core.id());
  if (at.skipped.trips > 0) return observe_skipped(at, core, record);
  if (at.stretch == nullptr && at.observer >= 0) observe(at, record, core);
  feed_->executed(at, record.op);
  if (at.stretch != nullptr) {
    stretch_over(at, core, record);
  } else {
    at.cursor.advance();
  }
  const bool is_first = core.id().chip == 0 && core.id().core == 0;
  if (at.cursor.at_end_of_step()) {
    if (at.observer >= 0) observers_[std::size_t(at.observer)].step_ended();
    if (is_first) step_ended(core, core.time_of(record.end));
  }
  if (is_first && options_.progress) {
    const double items = double(program_.items.size());
    options_.progress((double(at.cursor.step()) + double(at.cursor.item()) / items) / options_.steps);
  }
}

void Simulation::observe(CoreState& at, const hw::CommandRecord& record, hw::core::Core& core) {
  const compiler::ProgramItem& item = program_.items[std::size_t(at.cursor.item())];
  base::Time begin = core.time_of(record.start);
  base::Time end = core.time_of(record.end);
  Bound bound = item.kind == compiler::ProgramItem::Kind::op           ? bound_of(record.op, machine_.mxu.count)
                : item.kind == compiler::ProgramItem::Kind::collective ? Bound::ici
                                                                       : Bound::host;
  const std::uint64_t execution =
      item.started_by >= 0 ? at.cursor.last_execution(item.started_by) : at.cursor.execution();
  ItemResult result{at.cursor.item(), end - begin, record.op, bound, execution};
  if (item.kind == compiler::ProgramItem::Kind::op && !parts_) find_contention(at, record.op, result);
  observers_[std::size_t(at.observer)].item_ended(item.kind, result, end);
  if (const int place = known_ ? known_->place(position(at)) : -1; place >= 0) {
    at.by_place[std::size_t(place)] = result;
  }
  if (options_.timeline == nullptr || core.id().chip != 0 || core.id().core != 0) return;
  base::trace::Timeline::Track track = options_.timeline->track("chip(0,0) core 0", "ops");
  options_.timeline->span(track, item.op_name.empty() ? item.hlo_name : item.op_name, item.category, begin, end,
                          {{"hlo", item.hlo_name}, {"bound by", to_string(bound)}});
}

/// Called for core 0 of chip (0,0,...).
void Simulation::step_ended(const hw::core::Core& core, base::Time end) {
  const std::vector<base::Bytes> bytes = carried();
  step_bytes_.resize(bytes.size());
  std::ranges::transform(bytes, link_bytes_, step_bytes_.begin(), std::minus{});
  link_bytes_ = bytes;
  last_stretch_items_ = std::exchange(stretch_items_, 0);
  const base::Time begin = std::exchange(step_began_, end);
  if (options_.timeline == nullptr) return;
  options_.timeline->span(options_.timeline->track("chip(0,0) core 0", "steps"),
                          fmt::format("step {}", state(core.id()).cursor.step() + 1), "step", begin, end);
}

std::vector<base::Bytes> Simulation::carried() const {
  std::vector<base::Bytes> bytes = skipped_bytes_;
  for (std::size_t number = 0; number < bytes.size(); ++number) {
    const auto link = noc::LinkId(number);
    bytes[number] += pod_->network().links().link(link).bytes();
  }
  return bytes;
}

/// What an op took longer than alone is the contention of the transfers beside it. It counts for the asynchronous item
/// that was started first and goes on, or for the collectives of other cores that use this core's HBM.
void Simulation::find_contention(const CoreState& at, const hw::OpResult& cost, ItemResult& item) {
  if (item.duration == base::Time(0)) return;
  const base::Cycles alone = records_.of(program_.items[std::size_t(item.item)].index).cycles;
  if (cost.cycles <= alone) return;
  item.contended = machine_.core_clock().time_of(cost.cycles - alone);
  item.beside = waits_->first_in_flight(at.index);
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
