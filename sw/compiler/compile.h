// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler {

struct Compilation {
  ir::Module fused;  ///< the module that the program was made from, for the memory account and for inspection
  Program program;
};

/// Returns the module that a program is made from: with layouts, combined collectives and fusions. A scheduled module
/// is returned unchanged.
ir::Module fused(ir::Module module, const hw::Machine& machine);

/// Assigns layouts, combines collectives, fuses, and tiles every op; a scheduled module is lowered unchanged. Compile
/// time and the size of the program depend on the module alone, not on the number of chips. Tilings come from `cache`
/// if it has them. Throws base::SimulationError if an op cannot fit VMEM, and the other errors of lower().
Compilation compile(ir::Module module, const hw::Machine& machine, OpCache* cache = nullptr);

}  // namespace podsim::sw::compiler
