// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"
#include "sw/compiler/op_cache.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler {

/// Which collectives may overlap with the ops of a core.
enum class Overlap {
  none,         ///< what the program itself starts
  collectives,  ///< all-reduces, reduce-scatters and all-gathers too
};

/// Splits all-reduces, reduce-scatters and all-gathers of a fused module into start and done, and orders the
/// instructions of every executed computation so that the core has other work between the two: a list scheduler that
/// keeps the program's order where nothing waits.
///
///   - A collective starts when its operands are available. All-gathers of weights, whose operands are available from
///     the beginning, start as late as lets them end before their first reader, by the times below.
///   - The done is before the first op that reads the result. While that op would wait, later ops that do not wait go
///     first, unless they take more than twice as long as the wait.
///   - Ops are taken to last as long as at tile level; collectives to use the network one after another, each for its
///     time on an idle slice (sw/collectives/engine/assumed_times.h).
///   - Infeeds, outfeeds, sends, loops and calls keep their order, and so do the readers of an array and the ops that
///     update it in place.
///
/// If the step needs more memory than a core has, and than it needs as it is, the done of a collective follows the op
/// during which it ends, by the times above, and then the look-ahead of the scheduler is shortened. `donations` are
/// those of memory_account.h; costs of ops come from `cache` if it has them. A scheduled module, and one in which
/// nothing fits, is returned unchanged.
hlo::Module overlap_collectives(hlo::Module fused, const TargetMachine& machine,
                                std::span<const hlo::Donation> donations, OpCache* cache = nullptr);

}  // namespace podsim::sw::compiler
