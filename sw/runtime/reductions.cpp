// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/reductions.h"

#include <algorithm>

#include "sw/runtime/parts/parted_collectives.h"
#include "sw/runtime/repeated_stretches.h"
#include "sw/runtime/repeated_trips.h"

namespace podsim::sw::runtime {

bool takes_parts(const compiler::Program& program, int steps, std::size_t cores, const noc::FoldedTopology& topology,
                 const SimulationOptions& options) {
  return reduces(options) && options.estimates && options.faults.none() && options.detail != Detail::chip &&
         options.sink == nullptr && !topology.is_folded() && RepeatedStretches::may_be_skipped(program, steps, cores) &&
         parts::PartedCollectives::can_take(program);
}

Reductions::Reductions(const compiler::Program& program, base::Frequency clock, std::size_t cores, int steps,
                       const SimulationOptions& options) {
  if (!reduces(options)) return;
  const bool layers = options.detail != Detail::chip && options.sink == nullptr;
  repetitions_.push_back(std::make_unique<RepeatedTrips>(program, clock, cores, layers));
  if (layers && options.estimates && RepeatedStretches::may_be_skipped(program, steps, cores)) {
    repetitions_.push_back(std::make_unique<RepeatedStretches>(program, steps, cores));
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
