// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"

namespace podsim::hw {

/// The cost of an op on a core alone on its chip whose HBM is modelled bank by bank: what simulate_op() says with
/// streams, by the same core and DMA engine, through granules, switch and channels. Every transfer of a run has a
/// region of the HBM of its own (TileRegions). A simulation of its own, inside of another one or beside it.
///
/// Throws base::SimulationError when the op cannot run.
OpResult simulate_op_on_banks(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw
