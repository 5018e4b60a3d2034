// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/ir/graph.h"
#include "sw/spmd/mesh/mesh.h"
#include "sw/spmd/propagate/device_branches.h"

namespace podsim::sw::spmd::propagate {

/// The values whose annotations are not used since another value must have the same sharding and is annotated in
/// another way: a loop and its body, a conditional and its branches. The one that comes last in the module counts.
std::vector<UnplacedValue> overruled_annotations(const ir::Module& module, const mesh::Mesh& mesh);

}  // namespace podsim::sw::spmd::propagate
