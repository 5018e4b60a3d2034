// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of products (dot_gradient.h, convolution_gradient.h) and transforms (complex_gradient.h).
namespace podsim::hlo::transform::gradient::of {

Rule dot, convolution, fft;

}  // namespace podsim::hlo::transform::gradient::of
