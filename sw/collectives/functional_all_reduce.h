// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/collectives/schedule.h"

namespace podsim::sw {

/// One vector of the schedule's `elements()` values per core; core c of chip n is number n * cores_per_chip + c.
using CoreVectors = std::vector<std::vector<double>>;

/// Runs the schedule on real data, message by message, and returns what every core holds at the end. The inputs must be
/// values of the schedule's element type.
///
/// Numerics: a core adds an arriving partial sum and its own contributions in f32 and rounds the result to the element
/// type, because partial sums travel and rest as elements of that type; so a bf16 sum over n chips is rounded once per
/// hop. The order of the sum follows the schedule, and every core ends with the same bits.
CoreVectors run_functional(const AllReduceSchedule& schedule, const CoreVectors& inputs);

}  // namespace podsim::sw
