// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"

namespace podsim::sw {

/// The same computation with its instructions in topological order again, keeping the present order wherever the
/// operands allow; what neither the root nor an outfeed needs is dropped, parameters kept.
Computation sorted_topologically(Computation computation);

}  // namespace podsim::sw
