// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// Combines all-reduces, reduce-scatters and all-gathers of the same groups and element type (and combiner, and
/// dimension), in program order, into ones of several arrays of at most `threshold` bytes each (one larger array stands
/// alone). Fewer, larger collectives pay the latency of the rings once. Those that depend on one another are never
/// combined. In the entry and in the bodies of loops and branches.
///
/// Reductions that are combined stand where the last of them stood, all-gathers where the first of them stood: of
/// operands and results together `threshold` bytes are held longer for each kind, not more.
Module combine_collectives(Module module, base::Bytes threshold);

}  // namespace podsim::sw
