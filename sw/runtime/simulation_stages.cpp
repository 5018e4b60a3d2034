// SPDX-License-Identifier: Apache-2.0
// Part of sw/runtime/simulation.h.
#include <algorithm>

#include "hw/chip/chip.h"
#include "noc/folded_topology.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/runtime/simulation.h"

/// The parts of a step for each stage of a pipeline.
namespace podsim::sw::runtime {
namespace {

bool waits_for(const compiler::CollectiveOp& op, const std::vector<std::int32_t>& group, std::int32_t core) {
  if (op.kind == collectives::CollectiveKind::collective_permute) return group.back() == core;
  return std::ranges::find(group, core) != group.end();
}

}  // namespace

/// Time when the last core that sends data to `core` reached the collective: the source of a collective-permute, the
/// whole group of others.
base::Time Simulation::last_to_come(const collectives::engine::CollectiveRun& run, const compiler::CollectiveOp& op,
                                    std::int32_t core) const {
  const noc::FoldedTopology& topology = fold_.topology;
  const auto cores = std::int32_t(machine_.cores_per_chip);
  base::Time last;
  if (op.groups.empty()) {
    for (const hw::chip::Chip* chip : pod_->chips()) {
      for (int other = 0; other < cores; ++other) last = std::max(last, run.started_at(chip->number(), other));
    }
  }
  for (const std::vector<std::int32_t>& group : op.groups) {
    if (!waits_for(op, group, core)) continue;
    for (const std::int32_t member : group) {
      last = std::max(last, run.started_at(topology.representative_of(member / cores), member % cores));
    }
  }
  return last;
}

/// The part of a core's time in a collective, or of its wait for an asynchronous one, after all cores that it waits for
/// have arrived.
base::Time Simulation::transfer_time(const ItemResult& item, std::int32_t core) const {
  const compiler::ProgramItem& executed = program_.items[std::size_t(item.item)];
  const collectives::engine::CollectiveRun* run = collectives_->finished(item.execution);
  if (run == nullptr) return item.total();
  const auto cores = std::int32_t(machine_.cores_per_chip);
  const noc::NodeId chip = fold_.topology.representative_of(core / cores);
  const compiler::CollectiveOp& op = program_.collectives[std::size_t(executed.index)];
  const base::Time rest = run->finished_at(chip, core % cores) - last_to_come(*run, op, core);
  return std::clamp(rest, base::Time(0), item.duration) * item.times;
}

void Simulation::add_stage_results() {
  if (program_.core_sets.empty()) return;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const StepRecord& step = observers_[std::size_t(stage_observers_[i])].step();
    StageResult& stage = result_.stages.emplace_back(stages_[i]);
    stage.step = result_.step_time;
    stage.compute = step.compute;
    stage.collective = step.collective;
    stage.infeed = step.infeed;
    for (const ItemResult& item : step.items) {
      const bool is_collective = program_.items[std::size_t(item.item)].kind == compiler::ProgramItem::Kind::collective;
      if (is_collective) stage.transfer += transfer_time(item, stage.first_core);
    }
  }
}

/// The core's number in the slice.
std::int32_t Simulation::observed_core(int observer) const {
  const auto stage = std::ranges::find(stage_observers_, observer);
  if (stage != stage_observers_.end()) return stages_[std::size_t(stage - stage_observers_.begin())].first_core;
  return std::int32_t(std::ranges::find(states_, observer, &CoreState::observer) - states_.begin());  // of chip 0
}

/// A collective in which the core mostly waits for cores that come later is bound by them, not by the network. Without
/// branches all cores come at once.
void Simulation::name_waits(std::int32_t core) {
  if (program_.core_sets.empty()) return;
  for (ItemResult& item : result_.items) {
    const bool waits = item.bound == Bound::ici && 2 * transfer_time(item, core).value() < item.total().value();
    if (waits) item.bound = Bound::others;
  }
}

}  // namespace podsim::sw::runtime
