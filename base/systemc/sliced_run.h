// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace podsim::base::systemc {

/// Runs the simulation until no event is pending or `stop` returns true. It runs in slices of simulated time that take
/// some milliseconds of host time each, and calls `stop` after each of them, outside all processes, so that `stop` may
/// throw. An interruption (base/host/interrupt.h) ends a slice. The boundaries of slices do not affect the results.
void run_in_slices(const std::function<bool()>& stop);

}  // namespace podsim::base::systemc
