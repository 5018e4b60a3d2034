// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

struct Compilation {
  Module fused;  ///< the module the program was made from, for the memory account and for inspection
  Program program;
};

/// The module that a program is made from: laid out, collectives combined, fused; a scheduled module as it stands.
Module fused(Module module, const hw::Machine& machine);

/// Lays out, combines collectives, fuses, cuts into tiles; a scheduled module is taken as it stands. Compile time and
/// the program's size depend on the module alone, not on the number of chips. Throws base::SimulationError when an op
/// cannot fit VMEM. Tiles are looked up in `cache` where there is one.
Compilation compile(Module module, const hw::Machine& machine, OpCache* cache = nullptr);

}  // namespace podsim::sw
