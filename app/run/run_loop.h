// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "app/run/run_options.h"
#include "base/config.h"
#include "noc/topology.h"
#include "report/run/run_report.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"
#include "sw/target_machine.h"

/// The parts of `podsim run` that go beyond a step: hosts that feed it, and a loop with an evaluation.
namespace podsim::app::run {

/// Bytes that a core is sent for a step: those of its infeeds, or else `batch`.
base::Bytes core_batch(const sw::compiler::Program& program, base::Bytes batch);

/// Sets the hosts' pipelines of a report, for what a built-in workload is trained on. The batch of another program is
/// one record, of which a warning tells.
void plan_input(report::run::RunReport& report, const noc::Topology& slice, base::Bytes batch,
                const base::Config& machine);

/// Sets what a checkpoint of the report's job takes. InputError if its step keeps nothing, as far as its text tells.
void plan_checkpoint(report::run::RunReport& report, std::span<const workloads::job::StateArray> state,
                     const base::Config& machine);

/// Compiles the forward part of the step, which an evaluation runs.
sw::compiler::Program evaluation_program(const RunOptions& options, const sw::TargetMachine& machine,
                                         sw::compiler::OpCache* cache);

/// The last step of a program without its waits for hosts: with its batch ready.
base::Time fed_step_time(const sw::compiler::Program& program, const sw::runtime::RunResult& result,
                         const sw::TargetMachine& machine);

/// A loop of steps as long as that of the report, less what that waited for hosts, with what happens in it if it is to
/// be recorded.
report::run::LoopReport loop_report(const report::run::RunReport& report, const workloads::job::LoopPlan& plan,
                                    const noc::Topology& slice, base::Time evaluation_step_time,
                                    const base::Config& machine, bool recorded);

}  // namespace podsim::app::run
