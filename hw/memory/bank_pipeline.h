// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw {

/// Cycles of an op whose tiles pass through the banks of the HBM (BankStream) where TilePipeline has streams. Of every
/// run of equal tiles the first 48 are simulated; the others are taken to cost what the last 36 of those cost on
/// average.
base::Cycles op_cycles_on_banks(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw
