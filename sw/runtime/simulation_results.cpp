// SPDX-License-Identifier: Apache-2.0
// Part of sw/runtime/simulation.h.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "sw/runtime/run_statistics.h"
#include "sw/runtime/simulation.h"
#include "sw/runtime/step_results.h"

/// Results of a simulation that has ended.
namespace podsim::sw::runtime {

void Simulation::collect() {
  RunResult result = observation_->result();
  result.notes = std::move(result_.notes);
  result.real_chips = std::move(result_.real_chips);
  result.simulated_chips = result_.simulated_chips;
  result_ = std::move(result);
  result_.partial = stopped() && result_.steps < options_.steps;
  result_.collectives = collective_results(program_, result_.items, schedules_, fold_, *collectives_);
  note_skipped_loops();
  note_skipped_segments();
  if (parts_ && !result_.partial) {
    const auto streams = [this](int op) { return machine_.core_clock().time_of(records_.of(op).cycles); };
    result_.parts = parts_->result(observation_->first_core_items(), streams);
  }
  const noc::ici::Links& links = pod_->network().links();
  result_.statistics = run_statistics(result_, links.messages_delivered(), links.hops());
}

}  // namespace podsim::sw::runtime
