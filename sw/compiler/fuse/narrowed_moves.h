// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Converts to narrower elements before elements move: convert(move(x)) becomes move(convert(x)) for reshapes and
/// transposes that nothing else reads, and for slices if every slice of the array is narrowed and they read as many
/// elements as it has. The values are the same bits. For modules whose layouts are not assigned yet.
void narrow_before_moves(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
