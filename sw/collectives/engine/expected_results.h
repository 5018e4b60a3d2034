// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/collectives/engine/collective_data.h"

namespace podsim::sw::collectives::engine {

/// The values that every core holds after a collective, from the definition of its kind (CollectiveKind) and
/// independently of its schedule. `operands` as for CollectiveData. Sums are in double and not rounded.
CoreVectors expected_results(const schedule::CollectiveSchedule& schedule, const CoreVectors& operands);

}  // namespace podsim::sw::collectives::engine
