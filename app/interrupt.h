// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace podsim::app {

/// Set by the first SIGINT (Ctrl-C) or SIGTERM after the call, so that a run can end in order and keep what it has; a
/// second one ends the program at once.
const std::atomic<bool>& watch_for_interrupt();

}  // namespace podsim::app
