// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/literal.h"
#include "hlo/weights/typed_weights.h"

namespace podsim::hlo::weights {

/// A weight as multiples of its scales.
struct Quantised {
  Literal values;  ///< of the weight's shape
  Literal scales;  ///< in bf16, of the shape that TypedWeight says
};

/// The values of a weight for a type of WeightType::is_scaled(): symmetric, so that the largest magnitude among the
/// elements that share a scale becomes largest_of(type). A value differs from its weight by at most half a step of the
/// type's grid at it, times the scale. That of elements which are all 0 is 1.
Quantised quantised(const Literal& weight, const TypedWeight& typed, ElementType type);

}  // namespace podsim::hlo::weights
