// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/compile.h"

#include <utility>

#include "sw/compiler/collective_combiner.h"
#include "sw/compiler/fusion.h"
#include "sw/compiler/layout_assignment.h"
#include "sw/compiler/lowering.h"
#include "sw/compiler/rebuild.h"

namespace podsim::sw {
Compilation compile(Module module, const hw::Machine& machine) {
  Compilation result;
  if (module.scheduled) {
    result.fused = std::move(module);
  } else {
    for (Computation& computation : module.computations) bypass_copies(computation);
    assign_layouts(module.computations[module.entry]);
    result.fused = fuse(combine_collectives(std::move(module), machine.compiler.combine_all_reduce));
  }
  result.program = lower(result.fused, machine);
  return result;
}

}  // namespace podsim::sw
