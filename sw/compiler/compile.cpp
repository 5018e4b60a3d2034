// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/compile.h"

#include <utility>

#include "sw/compiler/fuse/collective_combiner.h"
#include "sw/compiler/fuse/fusion.h"
#include "sw/compiler/fuse/layout_assignment.h"
#include "sw/compiler/fuse/moved_reshapes.h"
#include "sw/compiler/fuse/narrowed_moves.h"
#include "sw/compiler/fuse/ordered_reshapes.h"
#include "sw/compiler/fuse/rebuild.h"
#include "sw/compiler/fuse/transposed_products.h"
#include "sw/compiler/layout/dimension_order.h"
#include "sw/compiler/lowering.h"

namespace podsim::sw::compiler {

ir::Module fused(ir::Module module, const hw::Machine& machine) {
  if (module.scheduled) return module;
  for (ir::Computation& computation : module.computations) {
    fuse::bypass_copies(computation);
    fuse::move_reshapes_to_statistics(computation);
    fuse::narrow_before_moves(computation);
    fuse::exchange_operands_of_transposed_dots(computation);
  }
  fuse::assign_layouts(module.computations[module.entry]);
  layout::assign_dimension_orders(module, machine);
  for (ir::Computation& computation : module.computations) fuse::order_reshapes(computation);
  return fuse::fuse(fuse::combine_collectives(std::move(module), machine.compiler.combine_all_reduce));
}

Compilation compile(ir::Module module, const hw::Machine& machine, OpCache* cache) {
  Compilation result;
  result.fused = fused(std::move(module), machine);
  result.program = lower(result.fused, machine, cache);
  return result;
}

}  // namespace podsim::sw::compiler
