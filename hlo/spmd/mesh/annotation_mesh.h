// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/spmd/mesh/mesh.h"

namespace podsim::hlo::spmd::mesh {

/// Makes a mesh over module.partitions for a module whose text has shardings but names no axes. The mesh has the fewest
/// axes, named a0, a1, ..., with which every tiled sharding in the module can be written. Throws base::InputError
/// naming the instruction if a sharding lists its devices in an order that no grid gives or does not cover all
/// partitions, and base::InputError if no single mesh fits all shardings.
Mesh annotation_mesh(const hlo::Module& module);

}  // namespace podsim::hlo::spmd::mesh
