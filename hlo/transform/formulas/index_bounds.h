// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/build/graph_builder.h"

/// Indices of gathers and scatters beyond the array. A gather moves them back inside, a scatter drops their updates.
namespace podsim::hlo::transform::formulas {

/// The largest index by component of an index vector, of slices of these sizes.
std::vector<std::int64_t> largest_indices(const GatherDimensions& roles, const std::vector<std::int64_t>& array,
                                          const std::vector<std::int64_t>& slice);

/// True if the graph shows that all index vectors are between 0 and the largest: by constants, or clamps to them.
bool are_inside(const build::GraphBuilder& builder, InstructionId indices, const GatherDimensions& roles,
                const std::vector<std::int64_t>& largest);

/// The indices, moved inside.
InstructionId moved_inside(build::GraphBuilder& builder, InstructionId indices, const GatherDimensions& roles,
                           const std::vector<std::int64_t>& largest);

/// By element of the updates, whether its index vector is inside.
InstructionId updates_inside(build::GraphBuilder& builder, InstructionId indices, const GatherDimensions& roles,
                             const std::vector<std::int64_t>& largest, std::vector<std::int64_t> updates);

}  // namespace podsim::hlo::transform::formulas
