// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"
#include "sw/codegen/families/matrix/matmul_plan.h"
#include "sw/target_machine.h"

namespace podsim::sw::codegen::families::matrix {

/// Adds product and epilogue. The parameters of a and b are there; that of the bias is added if the problem has one.
hlo::Module with_epilogue(const KernelMatmul& problem, hlo::build::GraphBuilder& graph, hlo::InstructionId a,
                          hlo::InstructionId b);
/// The problem as a program: parameters a, b and bias.
hlo::Module matmul_op(const KernelMatmul& problem);

/// The plan with the tiles that the compiler gives to matmul_op() in a run: blocks of whole registers and weight tiles.
/// Tilings that do not fit VMEM with the kernel's padding are left out. Arrays that are in VMEM are one tile. Throws
/// base::InputError if nothing fits.
MatmulPlan compiled_matmul_plan(const TargetMachine& machine, const KernelMatmul& problem,
                                const MatmulAddresses& addresses);

}  // namespace podsim::sw::codegen::families::matrix
