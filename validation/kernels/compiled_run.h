// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "sw/codegen/families/kernel.h"
#include "sw/target_machine.h"

namespace podsim::validation::kernels {

/// A kernel's computation as ops of a program, compiled as `podsim run` compiles it (sw/driver/compile.h).
struct CompiledRun {
  std::int64_t ops = 0;  ///< 0 if the compiler needs none, since it gives an array another layout instead of moving it
  base::Cycles cycles;   ///< of the ops one after the other
  base::Bytes moved;     ///< between HBM and VMEM
};
CompiledRun compiled_run(const sw::codegen::families::Kernel& kernel, const sw::TargetMachine& machine);

/// An op of a program that is compiled already.
CompiledRun compiled_op(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id,
                        const sw::TargetMachine& machine);

}  // namespace podsim::validation::kernels
