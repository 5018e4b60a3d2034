// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// The same computation with its instructions in topological order again, keeping the present order wherever the
/// operands allow; what neither the root, an outfeed nor another op with side effects needs is dropped, parameters
/// kept.
Computation sorted_topologically(Computation computation);

/// The same computation with its instructions in the given order, which names each once, but every one behind its
/// operands: those that are not there yet come first. What is not needed is dropped as above.
Computation in_order_of_need(Computation computation, std::span<const InstructionId> order);

/// Readers of a copy read what it copies; copies that are results stay. For modules whose layouts are still open.
void bypass_copies(Computation& computation);

}  // namespace podsim::sw
