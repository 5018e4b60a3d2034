// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostic.h"
#include "sw/driver/choices.h"
#include "sw/driver/program.h"
#include "sw/driver/step.h"
#include "sw/target_machine.h"

namespace podsim::sw::driver {

/// The step needs more memory than a core has, with all that the choices let it compute again.
class OutOfMemory : public base::InputError {
 public:
  using base::InputError::InputError;
};

/// Compiles a program by the passes of passes.h. Every program is compiled by it: built-in networks, pages and texts,
/// for runs, tables of ops, measured figures and tests.
///
///   1. A program of all cores is annotated and partitioned, if the choices say so.
///   2. The program of one core gets layouts, combined collectives and fusions. A scheduled module is left as it is.
///   3. If it does not fit into the memory of a core, ops run once more (sw/compiler/recompute.h); if that is not
///      enough, layers compute more of their forward values in their backward part (hlo/transform/rematerialize.h).
///      Both have limits, and a program that needs more is refused.
///   4. It becomes a program of ops and collectives. Compile time and its size depend on the module alone, not on the
///      number of chips.
///
/// Debug builds check after every pass that shapes follow from their operands.
///
/// Throws OutOfMemory; base::InputError, without location or with one in "mesh" or "weight-update-sharding", if the
/// choices do not fit the program; hlo::rules::InstructionError at an instruction;
/// base::SimulationError if an op cannot fit VMEM, and the other errors of sw/compiler/lowering.h.
Step compile(Program program, const Target& target, const Choices& choices = {});

/// As above, of the step of one core, under the module's own name.
Step compile(hlo::Module module, const TargetMachine& machine, compiler::OpCache* cache = nullptr);

/// The module that is left by a pass (passes.h).
hlo::Module module_after(std::string_view pass, Program program, const Target& target, Choices choices = {});
/// The module of one core with its fusions, before memory is looked at.
hlo::Module fused(hlo::Module module, const TargetMachine& machine, const CompilerYear& compiler = {});

}  // namespace podsim::sw::driver
