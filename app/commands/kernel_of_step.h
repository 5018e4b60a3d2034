// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/options/kernel_options.h"
#include "sw/codegen/families/kernel.h"
#include "validation/kernels/compiled_run.h"

/// Kernels of the ops of a step: of a file of HLO or StableHLO, or of a built-in workload.
namespace podsim::app::commands {

/// True if a word of `podsim kernel` names the program of a step, not an assembly program.
bool names_step(const std::string& word);

struct StepKernel {
  sw::codegen::families::Kernel kernel;
  validation::kernels::CompiledRun run;  ///< the op in the step
};

/// Compiles the step, as a run does, and generates the kernel of the op that the flags name. InputError if there is no
/// such op or it has no code.
StepKernel kernel_of_step(const options::KernelOptions& options, const sw::TargetMachine& machine);

/// The distinct ops of the step in order, with those that have code and the reason of those that have none.
std::string ops_of_step(const options::KernelOptions& options, const sw::TargetMachine& machine);

}  // namespace podsim::app::commands
