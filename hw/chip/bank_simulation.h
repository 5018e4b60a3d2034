// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"

namespace podsim::hw::chip {

/// Simulates an op on a core that is alone on its chip, with an HBM modelled bank by bank. Returns the counterpart of
/// simulate_op() on streams, with the same core and DMA engine, through granules, switch and channels. Every transfer
/// of a run of tiles has its own region of the HBM (TileRegions). Runs as a separate simulation, which may be nested in
/// another one.
///
/// Throws base::SimulationError if the op cannot run.
OpResult simulate_op_on_banks(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw::chip
