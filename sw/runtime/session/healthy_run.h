// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "noc/topology.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/simulation_options.h"
#include "sw/target_machine.h"

/// What steps on a slice with faults are compared with.
///
/// Both have every collective in the order in which it is served alone on a healthy slice (follows_orders()), so that a
/// delay brings nothing of it forward. Between a step's collectives and ops the HBM still serves what comes first, and
/// a step that begins late may end as soon as without the fault. So a step may take a fraction of a percent less, which
/// is no gain of a fault (R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), 1969).
namespace podsim::sw::runtime::session {

/// The same steps on a slice without faults, with nothing estimated. `options` are those of the steps with faults; the
/// result shows nothing in waveforms and timelines.
RunResult run_healthy(const TargetMachine& machine, const noc::Topology& slice, const compiler::Program& program,
                      SimulationOptions options, int steps);

/// Has the last step with faults take no less than without them, with a note if it took less.
void hold_to_healthy(RunResult& faulty, const RunResult& healthy);

}  // namespace podsim::sw::runtime::session
