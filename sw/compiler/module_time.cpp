// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/module_time.h"

#include "sw/compiler/tiles/tile_maker.h"
#include "sw/compiler/tiles/tile_search.h"

namespace podsim::sw::compiler {

base::Cycles ModuleTimes::cycles_of(const ir::Module& module, const ir::Computation& computation,
                                    ir::InstructionId id) {
  const tiles::OpWork work = tiles::op_work(module, computation, id, machine_);
  const auto [found, inserted] = known_.try_emplace(work, base::Cycles(0));
  if (inserted) {
    const std::string& name = computation[id].name;
    const tiles::Tiling tiling = tiles::choose_tiling(work, machine_, pipeline_, name);
    found->second = pipeline_.simulate(tiles::make_tiles(work, tiling, machine_, name)).cycles;
  }
  return found->second;
}

base::Time ModuleTimes::time_of(const ir::Module& fused) {
  base::Cycles cycles;
  const ir::Computation& entry = fused.entry_computation();
  for (ir::InstructionId id = 0; id < ir::InstructionId(entry.instructions.size()); ++id) {
    if (tiles::is_core_op(entry, id)) cycles += cycles_of(fused, entry, id);
  }
  return machine_.core_clock().time_of(cycles);
}

}  // namespace podsim::sw::compiler
