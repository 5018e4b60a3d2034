// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "hlo/graph.h"

namespace podsim::sw::compiler {

/// A fused module some of whose ops run once more, so that their results need not be kept in between.
struct RecomputedModule {
  hlo::Module module;
  std::int64_t ops = 0;  ///< that run once more
  double flops = 0;      ///< XLA's count of their FLOPs, on one core
};

/// Repeats ops of the entry until no more than `max_live` bytes are live and the heap fits `capacity`, or until no op
/// is left that helps. Gaps between the arrays of a heap are known only for a whole schedule, so that a compiler aims
/// below the capacity (compiler.recompute_above).
///
/// At the peak, an array that is read before it and after it, but not at it, may be made again before the next read by
/// the op that made it. Arrays are taken in the order of the bytes that this frees: their own less those of operands
/// that would then live longer. Repeated ops are fusions or single instructions without effects, without random numbers
/// and without other devices, first those of one result, and if these are not enough those of several, for one of them.
/// They have op_names under "rematerialised/" and are not repeated again.
///
/// This is the order of XLA's published pass (hlo_rematerialization.cc: the cost of a candidate is the inverse of the
/// memory that it frees, results of several arrays are left out). It is not the one that costs least time: TPU v3's
/// step of BERT-large with 32 sequences a core repeats the first product of the feed-forward block and the products of
/// queries, keys and values, the latter in 13 of 24 layers, and keeps the scores of attention, which are larger, cost
/// less time, and are made together with their maxima.
RecomputedModule recompute_to_fit(hlo::Module fused, base::Bytes max_live, base::Bytes capacity,
                                  std::span<const hlo::Donation> donations = {});

}  // namespace podsim::sw::compiler
