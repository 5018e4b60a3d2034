// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// Combines all-reduces of one combiner and element type, in program order, into tuple all-reduces of at most
/// `threshold` bytes each (one larger array stands alone). Fewer, larger collectives pay the latency of the rings once.
/// An all-reduce that depends on another one is never combined with it.
Module combine_all_reduces(Module module, base::Bytes threshold);

}  // namespace podsim::sw
