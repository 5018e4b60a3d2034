// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/statistics.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw::runtime {

/// Counters of a run with their units: for the reported core's step ("core.*"), and for the network over the whole run
/// (messages delivered and links that they took, "ici.*", representatives only if chips are folded).
base::StatisticSet run_statistics(const RunResult& result, std::int64_t messages, std::int64_t hops);

}  // namespace podsim::sw::runtime
