// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_pipeline.h"

#include "hw/memory/banks/bank_stream.h"
#include "hw/timing/tile_walk.h"

namespace podsim::hw::memory::banks {

base::Cycles op_cycles_on_banks(const Machine& machine, const TileOp& op) {
  constexpr std::int64_t window = 48, averaged = 36;
  const timing::PhaseTiming phases(machine);
  BankStream memory(machine);
  timing::TileWalk walk(machine, phases, memory, op, window, averaged);
  const base::Cycles simulated = walk.run().cycles;
  return simulated + walk.extrapolated();
}

}  // namespace podsim::hw::memory::banks
