// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/content_hash.h"
#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw::timing {

/// Adds to the hash every machine value that the cost of a tile op (TilePipeline) or the choice of its tiles may depend
/// on: the cores and their halves of the HBM. The machine's name, the network, the host, the pod, the on-chip switch
/// and the collective keys of [compiler] are left out.
void add_core(base::ContentHash& hash, const Machine& machine);

/// Adds the traffic and work of an op and the VMEM it needs; its name is left out.
void add_tile_op(base::ContentHash& hash, const TileOp& op);

}  // namespace podsim::hw::timing
