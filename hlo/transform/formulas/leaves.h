// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/shape.h"

/// The arrays of a value, nested tuples flattened.
namespace podsim::hlo::transform::formulas {

/// True for real and complex numbers.
bool has_slope(ElementType type);
/// True if an array of the value has real or complex numbers.
bool has_any_slope(const Shape& shape);
/// Throws std::logic_error if there is no such leaf.
const Shape& leaf_shape(const Shape& shape, std::size_t leaf);

}  // namespace podsim::hlo::transform::formulas
