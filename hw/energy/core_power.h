// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw::energy {

/// Watts of a core that does nothing: its share of what its chip always draws.
double idle_core_watts(const Machine& machine);

/// Mean watts of a core while it runs an op that takes `cycles`: the energy of the op's events, and its share of what
/// the chip always draws, no unit switched off.
double core_watts(const Machine& machine, const TileOp& op, base::Cycles cycles);

}  // namespace podsim::hw::energy
