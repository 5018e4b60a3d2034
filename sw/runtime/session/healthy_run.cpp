// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/session/healthy_run.h"

#include <fmt/format.h>

#include <utility>

#include "sw/runtime/reductions.h"
#include "sw/runtime/session/session.h"

namespace podsim::sw::runtime::session {

RunResult run_healthy(const TargetMachine& machine, const noc::Topology& slice, const compiler::Program& program,
                      SimulationOptions options, int steps) {
  options.faults = {};
  options.estimates = false;
  if (options.input) options.input->speeds.clear();
  options.sink = nullptr;
  options.timeline = nullptr;
  options.progress = nullptr;
  if (options.detail != Detail::chip) {  // to the picosecond as at the other levels of detail
    options.fold = reduces(options);
    options.detail = Detail::replay;
  }
  Session session(machine, slice, std::move(options));
  return session.run({.program = session.add(program), .steps = steps}).result;
}

void hold_to_healthy(RunResult& faulty, const RunResult& healthy) {
  const base::Time missing = healthy.step_time - faulty.step_time;
  if (missing <= base::Time(0)) return;
  faulty.notes.push_back(fmt::format(
      "the step ends {} sooner than without the faults, in another order of what shares the HBM: it is counted "
      "as the healthy one",
      base::to_string(missing)));
  faulty.other += missing;
  faulty.step_time = healthy.step_time;
  if (!faulty.step_times.empty()) faulty.step_times.back() = healthy.step_time;
}

}  // namespace podsim::sw::runtime::session
