// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hw/timing/chip_cycles.h"
#include "hw/timing/level_streams.h"
#include "sw/runtime/step_results.h"
#include "sw/runtime/waits/arrival_times.h"

namespace podsim::sw::runtime {
namespace {

constexpr const char* first_core_track = "chip(0,0) core 0";

/// The unit or memory that is busiest in an op; Bound::latency if none is busy for half of it.
Bound busiest_unit(const hw::TileOp& op, const hw::OpResult& cost, const TargetMachine& machine) {
  Bound bound = Bound::latency;
  std::int64_t most = cost.cycles.value() / 2;
  const auto look_at = [&](Bound candidate, std::int64_t busy) {
    if (busy <= most) return;
    most = busy;
    bound = candidate;
  };
  hw::CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    if (Unit::names.bound != nullptr) {
      look_at(Bound::unit<Unit>(), cost.busy.of<Unit>().value() / Unit::count(machine));
    }
  });
  look_at(Bound::hbm, cost.hbm_busy.value());
  if (!machine.levels.empty()) look_at(Bound::declared_level, hw::timing::level_cycles(machine, op).value());
  return bound;
}

}  // namespace

Observation::Observation(const Subjects& subjects, bool through_parts, base::trace::Timeline* timeline,
                         const Steps& steps)
    : subjects_(subjects),
      through_parts_(through_parts),
      timeline_(timeline),
      stages_(subjects.program,
              std::int32_t(subjects.topology.full().nodes()) * std::int32_t(subjects.machine.cores_per_chip)),
      links_(subjects.links, subjects.topology),
      stage_observers_(stages_.all().size(), -1),
      steps_(steps),
      step_began_(steps.begin) {}

int Observation::observe(std::int32_t number, bool on_observed_chip) {
  int& of_stage = stage_observers_[stages_.of(number)];
  if (!on_observed_chip && of_stage >= 0) return -1;
  const int observer = int(observers_.size());
  observers_.emplace_back(steps_.begin);
  numbers_.push_back(number);
  if (of_stage < 0) of_stage = observer;
  return observer;
}

const compiler::ProgramItem& Observation::item_of(const ItemResult& result) const {
  return subjects_.program.items[std::size_t(result.item)];
}

Bound Observation::bound_of(const compiler::ProgramItem& item, const hw::OpResult& cost) const {
  if (item.kind == compiler::ProgramItem::Kind::op) {
    return busiest_unit(subjects_.program.ops[std::size_t(item.index)].tiles, cost, subjects_.machine);
  }
  return item.kind == compiler::ProgramItem::Kind::collective ? Bound::ici : Bound::host;
}

ItemResult Observation::item_ended(const SimulatedCore& core, const hw::CommandRecord& record, base::Time begin,
                                   base::Time end) {
  const ProgramCursor& at = core.cursor;
  const compiler::ProgramItem& item = subjects_.program.items[std::size_t(at.item())];
  const Bound bound = bound_of(item, record.op);
  const std::uint64_t execution = item.started_by >= 0 ? at.last_execution(item.started_by) : at.execution();
  ItemResult result{at.item(), end - begin, record.op, bound, execution};
  if (item.kind == compiler::ProgramItem::Kind::op && !through_parts_) attribute_contention(core, record.op, result);
  of(core).item_ended(item.kind, result, end);
  if (core.is_first() && timeline_ != nullptr) write(item, bound, begin, end);
  return result;
}

/// Contention is the op's duration minus its duration in isolation. It counts for the asynchronous item that was
/// started first and is still in flight, or for the collectives of other cores that use this core's HBM.
void Observation::attribute_contention(const SimulatedCore& core, const hw::OpResult& cost, ItemResult& item) const {
  if (item.duration == base::Time(0)) return;
  const auto chip = noc::NodeId(std::int64_t(core.index) / subjects_.machine.cores_per_chip);
  const base::Cycles alone = subjects_.records.of(item_of(item).index, chip).cycles;
  if (cost.cycles <= alone) return;
  item.contended = subjects_.machine.core_clock().time_of(
      hw::timing::slowed(cost.cycles - alone, subjects_.records.speed(chip).clock));
  item.beside = subjects_.waits.first_in_flight(core.index);
}

void Observation::write(const compiler::ProgramItem& item, Bound bound, base::Time begin, base::Time end) {
  timeline_->span(timeline_->track(first_core_track, "ops"), item.op_name.empty() ? item.hlo_name : item.op_name,
                  item.category, begin, end, {{"hlo", item.hlo_name}, {"bound by", to_string(bound)}});
}

void Observation::skipped(const SimulatedCore& core, const std::string& what, base::Time begin, base::Time end) {
  if (!core.is_first() || timeline_ == nullptr) return;
  timeline_->span(timeline_->track(first_core_track, "ops"), what, "skipped", begin, end, {});
}

void Observation::step_ended(const SimulatedCore& core, base::Time end) {
  if (core.observer >= 0) of(core).step_ended();
  if (!core.is_first()) return;
  links_.step_ended();
  const base::Time begin = std::exchange(step_began_, end);
  if (timeline_ == nullptr) return;
  timeline_->span(timeline_->track(first_core_track, "steps"),
                  fmt::format("{} {}", steps_.name, core.cursor.step() + 1), steps_.name, begin, end);
}

/// The observed core that the others wait for: of those with the longest step (to 0.1 %, since cores that wait for each
/// other differ by little), the one that waits least in collectives. Its step shows the parts of the step time.
std::size_t Observation::critical() const {
  base::Time longest;
  for (const StepObserver& observer : observers_) longest = std::max(longest, observer.step().duration());
  const auto waiting = [longest](const StepObserver& observer) {
    const bool is_long = observer.step().duration().value() >= longest.value() - longest.value() / 1000;
    return std::pair(!is_long, observer.step().collective);
  };
  return std::size_t(std::ranges::min_element(observers_, {}, waiting) - observers_.begin());
}

RunResult Observation::result() const {
  const std::size_t critical_core = critical();
  const StepObserver& observer = observers_[critical_core];
  const StepRecord& step = observer.step();
  RunResult result;
  result.steps = observer.steps();
  result.step_times = observer.step_times();
  result.step_time = step.duration();
  result.items = step.items;
  result.compute = step.compute;
  result.collective = step.collective;
  result.infeed = step.infeed;
  result.other = step.duration() - step.compute - step.collective - step.infeed;
  result.link_bytes = links_.of_last_step();
  const double capacity = subjects_.machine.ici.payload_rate().si() * base::to_duration(step.duration()).si();
  const base::Bytes busiest = std::ranges::max(result.link_bytes);
  result.ici_utilization = capacity > 0 ? double(busiest.value()) / capacity : 0;
  result.contention = contention_results(step.items);
  result.loops = loop_results(subjects_.program, step.items);
  if (subjects_.names_waits) result.waiting = waiting_time(step.items, numbers_[critical_core]);
  const bool branches = !subjects_.program.core_sets.empty();
  if (branches || subjects_.names_waits) name_waits(numbers_[critical_core], result.items);
  if (!branches) return result;
  result.stages = stage_results(result.step_time);
  return result;
}

/// The part of a core's time in a collective, or of its wait for an asynchronous one, after all cores that it waits for
/// have arrived.
base::Time Observation::transfer_time(const ItemResult& item, std::int32_t core) const {
  const std::optional<waits::ExecutionTimes> times = subjects_.collectives.finished(item.execution);
  if (!times) return item.total();
  const compiler::CollectiveOp& op = subjects_.program.collectives[std::size_t(item_of(item).index)];
  const base::Time rest =
      waits::transfer_time(*times, subjects_.topology, int(subjects_.machine.cores_per_chip), op, core);
  return std::clamp(rest, base::Time(0), item.duration) * item.times;
}

/// What a core waits in collectives for others that come later.
base::Time Observation::waiting_time(const std::vector<ItemResult>& items, std::int32_t core) const {
  base::Time waiting;
  for (const ItemResult& item : items) {
    if (item_of(item).kind != compiler::ProgramItem::Kind::collective) continue;
    waiting += std::max(base::Time(0), item.total() - transfer_time(item, core));
  }
  return waiting;
}

std::vector<StageResult> Observation::stage_results(base::Time step) const {
  std::vector<StageResult> stages = stages_.all();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StepRecord& record = observers_[std::size_t(stage_observers_[i])].step();
    StageResult& stage = stages[i];
    stage.step = step;
    stage.compute = record.compute;
    stage.collective = record.collective;
    stage.infeed = record.infeed;
    for (const ItemResult& item : record.items) {
      if (item_of(item).kind != compiler::ProgramItem::Kind::collective) continue;
      stage.transfer += transfer_time(item, stage.first_core);
    }
  }
  return stages;
}

/// A collective in which the core mostly waits for cores that come later is bound by them, not by the network. Without
/// branches and faults all cores come at once.
void Observation::name_waits(std::int32_t core, std::vector<ItemResult>& items) const {
  for (ItemResult& item : items) {
    const bool waits = item.bound == Bound::ici && 2 * transfer_time(item, core).value() < item.total().value();
    if (waits) item.bound = Bound::others;
  }
}

}  // namespace podsim::sw::runtime
