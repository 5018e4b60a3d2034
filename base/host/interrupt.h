// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace podsim::base::host {

/// Returns a flag that the first SIGINT (Ctrl-C) or SIGTERM after the call sets, so that a run can end in order and
/// keep its results. A second signal ends the program at once.
const std::atomic<bool>& watch_for_interrupt();

}  // namespace podsim::base::host
