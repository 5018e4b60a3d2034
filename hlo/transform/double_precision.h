// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// The same program with f64 for every floating-point type and c128 for every complex one, for comparisons that need
/// the digits. A reduce-precision and a stochastic convert lose no digits any more. A bitcast-convert keeps its types,
/// between conversions, so that bits mean what they did.
Module in_double_precision(const Module& module);

}  // namespace podsim::hlo::transform
