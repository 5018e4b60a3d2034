// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/content_hash.h"
#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw::timing {

/// Adds to the hash every machine value that the cost of a tile op (TilePipeline) may depend on: the keys of a core,
/// its half of the HBM, its port of the on-chip switch and [tile_level] that ops, banks or kernels read, as their
/// sections declare. The machine's name, the network, the host and the pod are left out. What the compiler assumes of
/// its code is added by sw::add_core() (sw/target_machine.h).
void add_core(base::ContentHash& hash, const Machine& machine);

/// Adds the traffic and work of an op and the VMEM it needs; its name is left out.
void add_tile_op(base::ContentHash& hash, const TileOp& op);

}  // namespace podsim::hw::timing
