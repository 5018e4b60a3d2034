// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform::formulas {

/// Applies a computation of scalars, such as a combiner, to every element of arrays of equal dimensions: appends its
/// operations on arrays. Returns the leaves of its result; std::nullopt, with nothing that is used appended, if it has
/// an instruction that is neither elementwise nor a tuple nor a call. `computations` are those that it is one of.
std::optional<std::vector<InstructionId>> on_arrays(build::GraphBuilder& builder,
                                                    const std::vector<Computation>& computations, ComputationId id,
                                                    std::span<const InstructionId> arrays);

}  // namespace podsim::hlo::transform::formulas
