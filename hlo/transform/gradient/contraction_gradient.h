// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of products (dot_gradient.h, convolution_gradient.h) and transforms (complex_gradient.h).
namespace podsim::hlo::transform::gradient::of {

Rule dot, convolution, fft;
/// Rows in groups times a matrix for each group: the rows have the products with the transposed matrices, a matrix that
/// of its rows. Other forms of a ragged-dot are refused.
Rule ragged_dot;

}  // namespace podsim::hlo::transform::gradient::of
