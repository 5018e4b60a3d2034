// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/compiled_run.h"

#include <string>

#include "hw/tile_op.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/driver/compile.h"

namespace podsim::validation::kernels {

namespace {

base::Bytes moved_by(const hw::TileOp& op) {
  base::Bytes moved;
  for (const hw::TileRun& run : op.runs) {
    for (const hw::TileTransfer& read : run.work.reads) moved += run.count * read.bytes;
    for (const hw::TileTransfer& write : run.work.writes) moved += run.count * write.bytes;
  }
  return moved;
}

void add_op(CompiledRun& run, const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id,
            sw::compiler::OpCosts& costs) {
  const std::string& name = computation[id].name;
  const sw::compiler::tiles::OpWork work = sw::compiler::tiles::op_work(module, computation, id, costs.machine());
  const hw::TileOp op = costs.tiles(work, costs.tiling(work, name), name);
  ++run.ops;
  run.cycles += costs.simulate(op).cycles;
  run.moved += moved_by(op);
}

}  // namespace

CompiledRun compiled_run(const sw::codegen::families::Kernel& kernel, const sw::TargetMachine& machine) {
  const hlo::Module fused = sw::driver::fused(kernel.op, machine);
  const hlo::Computation& entry = fused.entry_computation();
  sw::compiler::OpCosts costs(machine);
  CompiledRun run;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
    if (sw::compiler::tiles::is_core_op(entry, id)) add_op(run, fused, entry, id, costs);
  }
  return run;
}

CompiledRun compiled_op(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id,
                        const sw::TargetMachine& machine) {
  sw::compiler::OpCosts costs(machine);
  CompiledRun run;
  add_op(run, module, computation, id, costs);
  return run;
}

}  // namespace podsim::validation::kernels
