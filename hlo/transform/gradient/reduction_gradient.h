// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of reductions. A maximum over dimensions divides its gradient among equal elements, one over a window
/// gives it to the first. What is neither a sum nor an extreme is written out (combined.h), such as a product, a
/// running product, an extreme with its index, or a log of a sum of exponentials.
namespace podsim::hlo::transform::gradient::of {

Rule reduce, reduce_window;
/// The source has the elements of the gradient at the positions that are selected. These do not change with the
/// operand.
Rule select_and_scatter;
/// A map has that of its function, applied to whole arrays.
Rule map;

}  // namespace podsim::hlo::transform::gradient::of
