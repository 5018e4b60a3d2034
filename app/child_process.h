// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "app/point_output.h"

namespace podsim::app {

/// Runs `body` in a child of this process, with what it prints captured and nothing on its stdin, and waits for its
/// end. The child has what this process has in memory, ends with the exit code that `body` returns, and is killed when
/// this process ends, or after `limit_s` seconds where that is not 0: exit code 124, as of timeout(1). This process has
/// one thread and has not started SystemC. SimulationError when the host gives no process or pipe.
PointOutput run_in_child(const std::function<int()>& body, std::int64_t limit_s = 0);

inline constexpr int out_of_time = 124;

/// In a process that was just forked: to be killed when its parent ends; signals as at the start of a program.
void die_with_parent(int parent);

}  // namespace podsim::app
