// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// Combines all-reduces, reduce-scatters and all-gathers of the same groups and element type (and combiner, and
/// dimension), in program order, into ones of several arrays of at most `threshold` bytes each (one larger array stands
/// alone). Fewer, larger collectives pay the latency of the rings once. In the entry and in the bodies of loops and
/// branches.
///
/// What is combined stands where the last of it stood, and nothing but elementwise work and reductions has to wait for
/// it that did not before: a collective whose result goes into a product or into another collective on the way there is
/// left alone. All-gathers of weights and inputs (parameters and slices of them, converted or not) stand where the
/// first of them stood. So at most about `threshold` bytes of each kind are held longer than before, and all else keeps
/// its order.
Module combine_collectives(Module module, base::Bytes threshold);

}  // namespace podsim::sw
