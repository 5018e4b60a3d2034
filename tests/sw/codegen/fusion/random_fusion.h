// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/graph.h"

namespace podsim::sw::codegen::fusion {

/// A random fused computation: element-wise opcodes on arrays of one to four dimensions and any layout, of f32, bf16,
/// s32 and pred, with broadcasts of parameters and of computed values, reductions over any dimensions, as results and
/// back into the array, slices by whole registers, and up to three results. The same seed gives the same graph.
hlo::Module random_fusion(std::uint64_t seed);

}  // namespace podsim::sw::codegen::fusion
