// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/ir/graph.h"

namespace podsim::sw::compiler::fuse {

/// Sorts the instructions topologically, and keeps the current order where the operands allow. Instructions are dropped
/// unless the root or an op with side effects, such as an outfeed, needs them; parameters are kept.
ir::Computation sorted_topologically(ir::Computation computation);

/// Sorts as above, but keeps `order`, which names every instruction once, in place of the current order.
ir::Computation sorted_topologically(ir::Computation computation, std::span<const ir::InstructionId> order);

/// Sorts as above, but moves an operand that comes after its first reader, together with its own operands, up to that
/// reader, instead of delaying the readers.
ir::Computation in_order_of_need(ir::Computation computation);

/// Makes readers of a copy read its operand; copies that are results stay. For modules whose layouts are not assigned
/// yet.
void bypass_copies(ir::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
