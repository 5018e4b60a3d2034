// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/statistics.h"
#include "noc/ici/message_fabric.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw::runtime {

/// Counters of a run with their units: for the reported core's step ("core.*"), and for the network over the whole run
/// ("ici.*", representatives only if chips are folded).
base::StatisticSet run_statistics(const RunResult& result, const noc::ici::MessageFabric& fabric);

}  // namespace podsim::sw::runtime
