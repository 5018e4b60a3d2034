// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "sw/codegen/families/kernel.h"
#include "sw/target_machine.h"

namespace podsim::sw::codegen::fusion {

/// Generates the kernel of an op of a compiled module: a fusion of element-wise opcodes, broadcasts, reductions and
/// moves that only rename, or one such instruction. Its tiles are as many as the compiler gives the op. Throws NoCode
/// for an op that the generator cannot write.
families::Kernel build_fusion(const TargetMachine& machine, const hlo::Module& module,
                              const hlo::Computation& computation, hlo::InstructionId id);

/// The same of a module that is the body of one op.
families::Kernel build_fusion(const TargetMachine& machine, const hlo::Module& body);

/// Throws NoCode if the op's graph tells that the generator cannot write it; whether its arrays fit into VMEM and its
/// values into registers is known only when it is built.
void check_fusion(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id);

}  // namespace podsim::sw::codegen::fusion
