// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/statistics.h"
#include "noc/message_fabric.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw {

/// Counters of a run with their units: of the reported core's step ("core.*"), and of the network over the whole run
/// ("ici.*", representatives only where chips are folded).
base::StatisticSet run_statistics(const RunResult& result, const noc::MessageFabric& fabric);

}  // namespace podsim::sw
