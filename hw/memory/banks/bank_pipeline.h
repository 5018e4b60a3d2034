// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw::memory::banks {

/// Duration of an op in cycles of the core clock when its tiles pass through the banks of the HBM (BankStream);
/// TilePipeline computes the same over streams. The first 48 tiles of every run of equal tiles are simulated; each
/// further tile is assumed to cost the average of the last 36 of those.
base::Cycles op_cycles_on_banks(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw::memory::banks
