// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/dependence_graph.h"

namespace podsim::sw {

/// The order of pushes and pops, and the units' rates and latencies so that nothing need wait, as
/// hw/bundle/matrix_unit.h, cross_lane_queue.h and transcendental_queue.h state them.
///
/// A unit other than a matrix unit, of which every push is popped in the same code and where nothing waits before, is
/// left unordered but for its pairs (FifoPair). Otherwise pushes keep their order, and pops; a pop comes after its
/// push, and a push after the pop that makes room for its result, so that no reordering fills the unit up: where the
/// code itself has more results under way than the unit has places, no more than that are. LHS registers of a loop are
/// pushed no faster than an array takes them in.
void add_fifo_dependences(const DependenceScope& scope, DependenceGraph& graph);

}  // namespace podsim::sw
