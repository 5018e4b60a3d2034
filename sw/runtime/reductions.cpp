// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/reductions.h"

#include <algorithm>

#include "sw/runtime/repeated_stretches.h"
#include "sw/runtime/repeated_trips.h"

namespace podsim::sw::runtime {
namespace {

bool reduces(const SimulationOptions& options) { return options.fold && options.detail != Detail::tile; }

}  // namespace

Reductions::Reductions(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
                       const pod::CollectiveSchedules& schedules, const SimulationOptions& options)
    : fold_(reduces(options) ? pod::fold(program, machine, slice, schedules) : pod::Fold{slice}) {
  if (!reduces(options)) return;
  const auto cores = std::size_t(fold_.topology.representatives().nodes()) * std::size_t(machine.cores_per_chip);
  const bool layers = options.detail != Detail::chip && options.sink == nullptr;
  repetitions_.push_back(std::make_unique<RepeatedTrips>(program, machine.clock, cores, layers));
  if (layers && RepeatedStretches::may_be_skipped(program, options.steps, cores)) {
    repetitions_.push_back(std::make_unique<RepeatedStretches>(program, options.steps, cores));
  }
}

std::optional<Repetition::Skip> Reductions::skip_now(const SimulatedCore& core, base::Cycles now, Observation& seen) {
  for (const auto& repetition : repetitions_) repetition->begins(core, now, seen);
  for (const auto& repetition : repetitions_) {
    if (std::optional<Repetition::Skip> skip = repetition->skip_now(core, now, seen)) return skip;
  }
  return std::nullopt;
}

void Reductions::observed(const SimulatedCore& core, const ItemResult& item) {
  for (const auto& repetition : repetitions_) repetition->observed(core, item);
}

bool Reductions::trip_over(SimulatedCore& core, const hw::core::Core& hardware, const hw::CommandRecord& record,
                           Observation& seen) {
  return std::ranges::any_of(
      repetitions_, [&](const auto& repetition) { return repetition->trip_over(core, hardware, record, seen); });
}

std::vector<std::string> Reductions::notes(int steps) const {
  std::vector<std::string> notes;
  for (const auto& repetition : repetitions_) {
    const std::vector<std::string> its_notes = repetition->notes(steps);
    notes.insert(notes.end(), its_notes.begin(), its_notes.end());
  }
  return notes;
}

}  // namespace podsim::sw::runtime
