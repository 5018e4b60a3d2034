// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/graph/shape.h"

namespace podsim::sw {

/// The value of an array, for the reference evaluator and functional collectives. Elements are held as doubles in
/// row-major order of the dimensions (layout does not matter), rounded to the element type: every bf16, f32 and 32-bit
/// integer value is exact in a double. A tuple has elements instead.
struct Literal {
  Shape shape;
  std::vector<double> values;
  std::vector<Literal> elements;
};

/// `value` rounded to the element type, to nearest even for floats; integers wrap; pred becomes 0 or 1.
double round_to(ElementType type, double value);

}  // namespace podsim::sw
