// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Computes elementwise values in the dimensions that a reshape gives them, if they come from arrays of those
/// dimensions by reshapes: reshape(f(reshape(x), broadcast(s))) becomes f(x, broadcast(s')), where s' is s with its
/// dimensions reshaped alike. A group norm so applies its statistics in the dimensions of its image. The values are the
/// same bits. For modules whose layouts are not assigned yet.
void move_reshapes_to_statistics(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
