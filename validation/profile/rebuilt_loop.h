// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"
#include "validation/profile/accessed_arrays.h"

namespace podsim::validation::profile {

/// Rebuilds a fusion of element-wise operations and reductions.
hlo::Module rebuild_loop_fusion(const FusionFacts& facts);

/// Rebuilds a fusion around a gather of rows or a scatter of rows into a table. Returns std::nullopt if the shapes fit
/// neither.
std::optional<hlo::Module> rebuild_row_fusion(const FusionFacts& facts);

}  // namespace podsim::validation::profile
