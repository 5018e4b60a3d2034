// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// Returns the trip count of a while loop if it can be derived: an element of the loop's tuple begins as a constant,
/// the body adds a constant to it, and the condition compares it with a constant (or with an element that begins as a
/// constant and does not change). Copies, conversions, bitcasts, reshapes, fusions and calls in between are looked
/// through. Returns -1 if the count cannot be derived or the loop does not end.
std::int64_t find_trip_count(const Module& module, const Computation& caller, const Instruction& loop);

}  // namespace podsim::hlo::transform
