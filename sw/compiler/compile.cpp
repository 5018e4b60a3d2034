// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/compile.h"

#include <utility>

#include "sw/compiler/collective_combiner.h"
#include "sw/compiler/fusion.h"
#include "sw/compiler/layout_assignment.h"
#include "sw/compiler/lowering.h"
#include "sw/compiler/rebuild.h"

namespace podsim::sw {

Module fused(Module module, const hw::Machine& machine) {
  if (module.scheduled) return module;
  for (Computation& computation : module.computations) bypass_copies(computation);
  assign_layouts(module.computations[module.entry]);
  return fuse(combine_collectives(std::move(module), machine.compiler.combine_all_reduce));
}

Compilation compile(Module module, const hw::Machine& machine, OpCache* cache) {
  Compilation result;
  result.fused = fused(std::move(module), machine);
  result.program = lower(result.fused, machine, cache);
  return result;
}

}  // namespace podsim::sw
