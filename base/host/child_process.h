// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "base/host/process_output.h"

namespace podsim::base::host {

/// Runs `body` in a child process, with its output captured and an empty stdin, and waits for its end. The child starts
/// with a copy of this process's memory and exits with the code that `body` returns. It is killed when this process
/// ends, or after `limit_s` seconds if that is not 0, with exit code `out_of_time`. This process must have one
/// thread and must not have started SystemC. SimulationError if the host provides no process or pipe.
ProcessOutput run_in_child(const std::function<int()>& body, std::int64_t limit_s = 0);

/// In a process that was just forked: makes it die with its parent, and resets signals to their defaults.
void die_with_parent(int parent);

}  // namespace podsim::base::host
