// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/graph.h"

namespace podsim::sw::compiler::fuse {

/// Converts to narrower elements before elements move: convert(move(x)) becomes move(convert(x)) for reshapes,
/// transposes and slices that nothing else reads, and for slices of an array that is narrowed everywhere. The values
/// are the same bits. For modules whose layouts are not assigned yet.
void narrow_before_moves(ir::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
