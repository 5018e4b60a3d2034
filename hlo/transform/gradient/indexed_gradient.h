// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// Gradients of instructions that read or write at computed positions. With g as the gradient of the result, the
/// operand's gradient is:
///   gather                 zeros, to which g is scattered with addition; indices must be inside the operand
///   dynamic-slice          zeros with g at the position of the slice
///   dynamic-update-slice   g with zeros at the position of the update; for the update, that slice of g
///   scatter                by its combiner (scatter_gradient.cpp). Addition: g; for the updates, the elements of g
///                          gathered at the same positions
namespace podsim::hlo::transform::gradient::of {

Rule gather, dynamic_slice, dynamic_update_slice, scatter;

}  // namespace podsim::hlo::transform::gradient::of
