// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Sorts the instructions topologically, and keeps the current order where the operands allow. Instructions are dropped
/// unless the root or an op with side effects, such as an outfeed, needs them; parameters are kept.
hlo::Computation sorted_topologically(hlo::Computation computation);

/// Sorts as above, but keeps `order`, which names every instruction once, in place of the current order.
hlo::Computation sorted_topologically(hlo::Computation computation, std::span<const hlo::InstructionId> order);

/// Sorts as above, but moves an operand that comes after its first reader, together with its own operands, up to that
/// reader, instead of delaying the readers.
hlo::Computation in_order_of_need(hlo::Computation computation);

/// Makes readers of a copy read its operand; copies that are results stay. For modules whose layouts are not assigned
/// yet.
void bypass_copies(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
