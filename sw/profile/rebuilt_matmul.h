// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/ir/graph.h"
#include "sw/profile/accessed_arrays.h"

namespace podsim::sw::profile {

/// Rebuilds a fusion around a contraction. Returns std::nullopt if its FLOPs are too few for any.
std::optional<ir::Module> rebuild_matmul_fusion(const FusionFacts& facts);

}  // namespace podsim::sw::profile
