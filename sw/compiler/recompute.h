// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "hw/machine.h"
#include "sw/compiler/op_cache.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler {

/// A fused module some of whose ops run once more, so that their results need not be kept in between.
struct RecomputedModule {
  ir::Module module;
  std::int64_t ops = 0;  ///< that run once more
  double flops = 0;      ///< XLA's count of their FLOPs, on one core
};

/// Repeats ops of the entry until its memory fits `capacity`, or until no op is left that helps.
///
/// At the peak, each array that is read before it and after it, but not there, may be made again before the next read
/// by the op that made it. The arrays that cost least time per byte are chosen, less the bytes of operands that would
/// then live longer. Repeated ops are fusions or single instructions without effects and without other devices; of
/// several outputs only the one that is needed is made. They have op_names under "rematerialised/" and are not repeated
/// again. Silicon does the same: the step of BERT-large with 32 sequences a core computes every product of queries and
/// keys and every first product of a feed-forward block twice, but no whole layer.
RecomputedModule recompute_to_fit(ir::Module fused, base::Bytes capacity, const hw::Machine& machine,
                                  std::span<const ir::Donation> donations = {}, OpCache* cache = nullptr);

}  // namespace podsim::sw::compiler
