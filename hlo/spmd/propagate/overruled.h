// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"
#include "hlo/spmd/mesh/mesh.h"
#include "hlo/spmd/propagate/device_branches.h"

namespace podsim::hlo::spmd::propagate {

/// The values whose annotations are ignored because another value must have the same sharding but has another
/// annotation: a loop and its body, a conditional and its branches. The one that comes last in the module counts.
std::vector<UnplacedValue> overruled_annotations(const hlo::Module& module, const mesh::Mesh& mesh);

}  // namespace podsim::hlo::spmd::propagate
