// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"

namespace podsim::sw::compiler {

/// Returns a fused module whose entry runs in the one of three orders at whose peak least is live: the order that it
/// has, that of a list scheduler on live bytes, and depth first. The first of these is taken among equals. A scheduled
/// module keeps its order.
///
/// In the list scheduler's order next comes the op that frees most: bytes of the arrays that nothing else still reads,
/// less those of its results. If none frees anything, the program's order holds, so that weight gradients and updates
/// move up to what they read and all else stays. Depth first, an op comes behind its operands, each with all that it
/// needs, first the one that needs most beyond what it leaves behind. This takes the least memory for trees whose
/// branches leave arrays of one size (Sethi and Ullman 1970, Liu 1986); a graph from elsewhere may be in any order.
///
/// Infeeds, outfeeds, sends, custom calls, loops, branches and calls keep all that is before them before them; readers
/// and updates of one array keep their order, and so do readers of a donated parameter and what replaces it.
///
/// XLA chooses by memory between list, depth-first and post-order schedules too (hlo_memory_scheduler.cc); its list
/// scheduler has the priority above for all ops.
hlo::Module ordered_by_memory(hlo::Module fused, std::span<const hlo::Donation> donations = {});

/// As above, in the branches that cores of the entry take by their number (core_view.h), such as those of the stages of
/// a pipeline.
hlo::Module branches_ordered_by_memory(hlo::Module fused);

}  // namespace podsim::sw::compiler
