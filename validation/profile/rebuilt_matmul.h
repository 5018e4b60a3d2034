// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"
#include "validation/profile/accessed_arrays.h"

namespace podsim::validation::profile {

/// Rebuilds a fusion around a contraction. Returns std::nullopt if its FLOPs are too few for any.
std::optional<hlo::Module> rebuild_matmul_fusion(const FusionFacts& facts);

}  // namespace podsim::validation::profile
