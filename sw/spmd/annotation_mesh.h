// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"
#include "sw/spmd/mesh.h"

namespace podsim::sw {

/// A mesh for a module whose text has shardings but names no axes: the fewest axes, a0, a1, ..., on which every tiled
/// sharding of an instruction falls, over module.partitions. base::InputError naming the instruction whose list of
/// devices is no arrangement of a grid or of other partitions, or where no mesh has the grids of all.
Mesh annotation_mesh(const Module& module);

}  // namespace podsim::sw
