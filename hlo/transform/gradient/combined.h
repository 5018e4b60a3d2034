// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "hlo/transform/gradient/backward.h"

/// Reductions written out as operations on arrays, for gradients of combiners that have no rule of their own. Combiners
/// are associative, so that neighbours can be combined first; their order is kept.
namespace podsim::hlo::transform::gradient {

using Arrays = std::vector<InstructionId>;
/// Combines two lists of arrays of equal dimensions element by element.
using Combine = std::function<Arrays(const Arrays&, const Arrays&)>;

/// The combiner of a reduction, on arrays. Refuses the gradient if it has other than elementwise operations.
Combine combiner_on_arrays(const Backward& reduction);

/// The results of a reduce: neighbours are combined until one is left in each dimension that is reduced, then the
/// initial values with that.
Arrays reduced_by_pairs(build::GraphBuilder& builder, const Instruction& reduce, const Combine& combine);

/// The results of a reduce-window: along each dimension, windows of 1, 2, 4.. elements are combined to those of the
/// size. Positions outside the array, or between its elements, take no part.
Arrays windows_by_doubling(build::GraphBuilder& builder, const Instruction& reduce_window, const Combine& combine);

}  // namespace podsim::hlo::transform::gradient
