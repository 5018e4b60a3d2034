// SPDX-License-Identifier: Apache-2.0
// Part of sw/runtime/simulation.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "hw/chip/chip.h"
#include "noc/folded_topology.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/runtime/run_statistics.h"
#include "sw/runtime/simulation.h"

/// Results of a simulation that has ended.
namespace podsim::sw::runtime {
namespace {

/// A name such as "two-colour: y ring, x line"; without the algorithm's name where it does not go dimension by
/// dimension.
std::string algorithm_name(const collectives::schedule::CollectiveSchedule& schedule) {
  const collectives::schedule::GroupSchedule& program = schedule.group_program(0);
  if (program.phases(0).empty()) return "on chip";
  if (!program.phases(0)[0].pattern->to_neighbours()) return program.shapes();
  return fmt::format("{}: {}", collectives::to_string(schedule.algorithm()), program.shapes());
}

}  // namespace

/// A link of a folded slice carries the same bytes as the link that represents it.
std::vector<base::Bytes> Simulation::bytes_of_all_links() const {
  const noc::FoldedTopology& topology = fold_.topology;
  std::vector<base::Bytes> bytes(std::size_t(topology.full().link_ids()));
  if (step_bytes_.empty()) return bytes;
  for (noc::LinkId id = 0; id < topology.full().link_ids(); ++id) {
    const auto link = topology.full().link(id);
    if (!link) continue;
    bytes[std::size_t(id)] = step_bytes_[std::size_t(
        topology.representatives().link_id(topology.representative_of(link->from), link->dimension, link->direction))];
  }
  return bytes;
}

/// Returns the observed core that the others wait for: of those with the longest step (to 0.1 %, since cores that wait
/// for each other differ by little), the one that waits least in collectives. Its step shows the parts of the step
/// time.
const StepObserver& Simulation::critical_core() const {
  base::Time longest;
  for (const StepObserver& observer : observers_) longest = std::max(longest, observer.step().duration());
  const auto waiting = [longest](const StepObserver& observer) {
    const bool is_long = observer.step().duration().value() >= longest.value() - longest.value() / 1000;
    return std::pair(!is_long, observer.step().collective);
  };
  return *std::ranges::min_element(observers_, {}, waiting);
}

void Simulation::collect() {
  const StepObserver& critical = critical_core();
  const StepRecord& step = critical.step();
  result_.steps = critical.steps();
  result_.partial = stopped() && result_.steps < options_.steps;
  result_.step_times = critical.step_times();
  result_.step_time = step.duration();
  result_.items = step.items;
  result_.compute = step.compute;
  result_.collective = step.collective;
  result_.infeed = step.infeed;
  result_.other = step.duration() - step.compute - step.collective - step.infeed;
  result_.hbm_bytes = step.hbm_bytes;
  const double capacity = machine_.ici.payload_rate().si() * base::to_duration(step.duration()).si();
  result_.link_bytes = bytes_of_all_links();
  const base::Bytes busiest = std::ranges::max(result_.link_bytes);
  result_.ici_utilization = capacity > 0 ? double(busiest.value()) / capacity : 0;
  std::map<int, std::size_t> known;
  std::map<int, base::Time> contention;
  for (const ItemResult& item : step.items) {
    if (item.contended > base::Time(0)) contention[item.beside] += item.contended * item.times;
    if (program_.items[item.item].kind == compiler::ProgramItem::Kind::collective) add_collective_result(item, known);
  }
  for (const auto& [beside, time] : contention) result_.contention.push_back({beside, time});
  add_loop_results();
  note_skipped_segments();
  add_stage_results();
  name_waits(observed_core(int(&critical - observers_.data())));
  if (parts_ && !result_.partial) {
    const auto streams = [this](int op) { return machine_.core_clock().time_of(records_.of(op).cycles); };
    result_.parts = parts_->result(observers_.front().step().items, streams);
  }
  const noc::ici::Links& links = pod_->network().links();
  result_.statistics = run_statistics(result_, links.messages_delivered(), links.hops());
}

base::Time Simulation::time_since_last_start(const collectives::engine::CollectiveRun& run) const {
  base::Time last_start, last_finish;
  for (const hw::chip::Chip* chip : pod_->chips()) {
    for (int core = 0; core < chip->cores(); ++core) {
      last_start = std::max(last_start, run.started_at(chip->number(), core));
      last_finish = std::max(last_finish, run.finished_at(chip->number(), core));
    }
  }
  return last_finish - last_start;
}

/// Adds up equal collectives of a step, within a loop or not.
void Simulation::add_collective_result(const ItemResult& item, std::map<int, std::size_t>& known) {
  const compiler::ProgramItem& executed = program_.items[std::size_t(item.item)];
  const auto [at, is_new] = known.try_emplace(executed.index, result_.collectives.size());
  if (is_new) {
    const compiler::CollectiveOp& op = program_.collectives[std::size_t(executed.index)];
    const collectives::schedule::CollectiveSchedule& schedule = *schedules_[std::size_t(executed.index)];
    CollectiveResult& result = result_.collectives.emplace_back();
    result.kind = collectives::to_string(op.kind);
    result.element_type = ir::to_string(op.element_type);
    result.bytes = op.bytes;
    result.group_size = op.groups.empty() ? schedule.cores() : std::int64_t(op.groups.front().size());
    result.algorithm = fold_.by_formula.contains(executed.index) ? "by formula" : algorithm_name(schedule);
    result.folded = fold_.topology.is_folded();
    result.axes = op.axes;
  }
  CollectiveResult& result = result_.collectives[at->second];
  result.exposed += item.total();
  if (executed.phase == ir::AsyncPhase::done) return;
  result.count += item.times;
  const collectives::engine::CollectiveRun* run = collectives_->finished(item.execution);
  result.time += (run != nullptr ? time_since_last_start(*run) : item.duration) * item.times;
}

void Simulation::add_loop_results() {
  for (std::size_t number = 0; number < program_.loops.size(); ++number) {
    const compiler::Loop& loop = program_.loops[number];
    LoopResult& result = result_.loops.emplace_back(LoopResult{int(number), 0, {}});
    for (const ItemResult& item : result_.items) {
      if (item.item < loop.first || item.item >= loop.end) continue;
      result.duration += item.total();
    }
    if (const auto skipped = skipped_trips_.find({.loop = int(number)}); skipped != skipped_trips_.end()) {
      result_.notes.push_back(fmt::format(
          "{}: {} of {} trips are taken to be as long as the one before them, which all cores repeated to 0.05 %",
          loop.name, skipped->second, loop.trips));
    }
    result.trips = 1;
    for (const compiler::Loop& around : program_.loops) {
      if (around.first <= loop.first && loop.end <= around.end) result.trips *= around.trips;
    }
  }
}

}  // namespace podsim::sw::runtime
