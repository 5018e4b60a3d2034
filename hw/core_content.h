// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/content_hash.h"
#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw {

/// Adds all that a machine says of its cores and of their halves of the HBM: whatever the cost of a tile op
/// (TilePipeline) or the choice of its tiles may depend on. The machine's name, the network, the host, the pod, the
/// switch on the chip and what [compiler] says of collectives are left out.
void add_core(base::ContentHash& hash, const Machine& machine);

/// Adds what an op asks of a core; its name is left out.
void add_tile_op(base::ContentHash& hash, const TileOp& op);

}  // namespace podsim::hw
