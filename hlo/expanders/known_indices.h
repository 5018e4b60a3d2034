// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Replaces gathers and adding scatters of rows whose positions are known (known_value.h) and run through the operand
/// in at most eight stretches of one step, such as those of a roll or of a shifted window: by slices that are
/// concatenated, and by a sum with the updates where they belong. Rows are indexed along one dimension, by one
/// dimension of indices. A scatter with positions outside of its operand, or with two updates for one row, stays.
///
/// XLA's simplifier keeps such gathers; frameworks write rolls as gathers only where no slices are to be had
/// (aten.index_select), and rows that are looked up one by one would take 25 ns each.
void slice_known_gathers(Module& module);

}  // namespace podsim::hlo::expanders
