// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/ir/graph.h"
#include "sw/profile/accessed_arrays.h"

namespace podsim::sw::profile {

/// Rebuilds a fusion of element-wise operations and reductions.
ir::Module rebuild_loop_fusion(const FusionFacts& facts);

/// Rebuilds a fusion around a gather of rows or a scatter of rows into a table. Returns std::nullopt if the shapes fit
/// neither.
std::optional<ir::Module> rebuild_row_fusion(const FusionFacts& facts);

}  // namespace podsim::sw::profile
