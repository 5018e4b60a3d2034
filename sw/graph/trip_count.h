// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// How often a while loop runs its body, where that can be seen: an element of the tuple that goes round begins as a
/// constant, the body adds a constant to it, and the condition compares it with a constant (or with an element that
/// goes round unchanged and began as a constant). Copies, conversions, bitcasts, fusions and calls on the way are
/// looked through. -1 where it cannot be seen, or the loop does not end.
std::int64_t find_trip_count(const Module& module, const Computation& caller, const Instruction& loop);

}  // namespace podsim::sw
