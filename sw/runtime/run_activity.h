// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/compiler/program.h"
#include "sw/runtime/observation.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/pod/fold.h"
#include "sw/runtime/run_result.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime {

/// What the last step does: for every item that a core has executed, or skipped as one that repeats, what the item
/// does, which follows from the program and the slice alone. It is therefore equal at all levels of detail, and exact
/// where trips are skipped or chips folded.
///
///   op               hw::activity() of its tiles; of an asynchronous one, such as a copy, as transfers
///   collective       collectives/schedule/collective_activity.h
///   infeed, outfeed  over PCIe and the switch, and a copy within the HBM unless the data arrive in place
///
/// An asynchronous item counts where it starts. The cores of a stage all do what the one that is observed does; chips
/// that are folded do what their representative does.
StepActivity step_activity(const compiler::Program& program, const TargetMachine& machine,
                           const pod::CollectiveSchedules& schedules, const pod::Fold& fold,
                           const Observation& observation);

}  // namespace podsim::sw::runtime
