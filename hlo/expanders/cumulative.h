// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Length of the rows in which cumulative sums are computed: the lanes of a register.
inline constexpr std::int64_t cumulative_base = 128;

/// Rewrites cumulative reductions (windows of the length of a dimension, padded by all but one element in front or
/// behind), such as jax.numpy.cumsum, along dimensions that are longer than cumulative_base: reductions within rows of
/// that length, reductions of the rows' ends, which are rewritten in turn, and both combined. So every element is
/// combined with cumulative_base others for each level in place of all before it (xla/hlo/transforms/simplifiers,
/// ReduceWindowRewriter). The combiner is taken for associative, as reductions are.
void expand_cumulative_windows(Module& module);

}  // namespace podsim::hlo::expanders
