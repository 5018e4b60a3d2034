// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// The same computation with its instructions in topological order again, keeping the present order wherever the
/// operands allow; what neither the root, an outfeed nor another op with side effects needs is dropped, parameters
/// kept.
Computation sorted_topologically(Computation computation);

/// The same, where the order to keep is not the present one but `order`, which names every instruction once.
Computation sorted_topologically(Computation computation, std::span<const InstructionId> order);

/// The same, where an operand that stands too late moves up to its first reader, with what it needs itself, instead of
/// its readers waiting for it while all that follows goes on.
Computation in_order_of_need(Computation computation);

/// Readers of a copy read what it copies; copies that are results stay. For modules whose layouts are still open.
void bypass_copies(Computation& computation);

}  // namespace podsim::sw
