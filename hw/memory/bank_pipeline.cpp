// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/bank_pipeline.h"

#include "hw/memory/bank_stream.h"
#include "hw/tile_walk.h"

namespace podsim::hw {

base::Cycles op_cycles_on_banks(const Machine& machine, const TileOp& op) {
  constexpr std::int64_t window = 48, averaged = 36;
  const PhaseTiming phases(machine);
  BankStream memory(machine);
  TileWalk walk(machine, phases, memory, op, window, averaged);
  const base::Cycles simulated = walk.run().cycles;
  return simulated + walk.extrapolated();
}

}  // namespace podsim::hw
