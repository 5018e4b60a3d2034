// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "noc/topology.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/simulation_options.h"
#include "sw/target_machine.h"

/// What steps on a slice with faults are compared with.
///
/// A step is one of several, and links serve messages in the order in which they come. So a fault that delays one core
/// may let another pass, which brings an end forward by a fraction of a percent (R. L. Graham, Bounds on
/// multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), 1969), and a step may begin later than without the
/// fault and end as soon. Neither is a gain of a fault. In one collective by itself all is served in the order of the
/// healthy slice (sw/collectives/engine/collective_simulation.h); a step has the ops of its cores in between.
namespace podsim::sw::runtime::session {

/// The same steps on a slice without faults, with nothing estimated. `options` are those of the steps with faults; the
/// result shows nothing in waveforms and timelines.
RunResult run_healthy(const TargetMachine& machine, const noc::Topology& slice, const compiler::Program& program,
                      SimulationOptions options, int steps);

/// Has the last step with faults take no less than without them, with a note if it took less.
void hold_to_healthy(RunResult& faulty, const RunResult& healthy);

}  // namespace podsim::sw::runtime::session
