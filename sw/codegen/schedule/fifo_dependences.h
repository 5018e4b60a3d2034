// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/schedule/dependence_graph.h"

namespace podsim::sw::codegen::schedule {

/// Adds the dependences of pushes and pops: their order, and the units' rates and latencies, such that no operation
/// stalls. The units' timing is in hw/bundle/matrix/matrix_unit.h, hw/bundle/results/cross_lane_queue.h and
/// hw/bundle/results/transcendental_queue.h.
///
/// If all pushes of a unit (other than a matrix unit) are popped in the same code and no results were waiting before,
/// only its pairs are ordered (FifoPair). Otherwise pushes stay in order, and so do pops. A pop comes after its push. A
/// push comes after the pop that makes room for its result, so that reordering never has more results in flight than
/// the unit has slots, or than the code in its original order. LHS registers of a loop are pushed no faster than an
/// array accepts them.
void add_fifo_dependences(const DependenceScope& scope, DependenceGraph& graph);

}  // namespace podsim::sw::codegen::schedule
