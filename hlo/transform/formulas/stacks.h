// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform::formulas {

/// Stacks of zeros, one for each array, of `height` arrays one upon another.
std::vector<InstructionId> empty_stacks(build::GraphBuilder& builder, const std::vector<InstructionId>& arrays,
                                        std::int64_t height);
/// The stacks with these arrays at position `at`.
std::vector<InstructionId> written_stacks(build::GraphBuilder& builder, const std::vector<InstructionId>& stacks,
                                          const std::vector<InstructionId>& arrays, InstructionId at);
/// The arrays at position `at`.
std::vector<InstructionId> read_stacks(build::GraphBuilder& builder, const std::vector<InstructionId>& stacks,
                                       InstructionId at);

}  // namespace podsim::hlo::transform::formulas
