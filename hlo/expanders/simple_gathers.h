// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Writes gathers and scatters that are less than look-ups of rows as what they are, as XLA's GatherExpander and
/// ScatterExpander do in their modes for simple ones, with indices of arguments too:
///
/// - a gather of one window as a dynamic slice, which clamps its start likewise; a scatter of one window as a dynamic
///   update slice of what the combiner makes of the old window, or of the old window where the new one would leave the
///   array;
/// - a gather of whole operands as a broadcast;
/// - without indices of whole dimensions, which a gather clamps to 0 and a scatter must know to be 0, with dimensions
/// of
///   one indexed element dropped from its windows, and with windows that one dimension numbers, as XLA's
///   GatherSimplifier does, so that rows are indexed along one dimension (row_indexing.h).
void simplify_gathers(Module& module);

}  // namespace podsim::hlo::expanders
