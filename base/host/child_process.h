// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "base/host/process_output.h"

namespace podsim::base::host {

/// Runs `body` in a child process, with its output captured and an empty stdin, and waits for its end. The child starts
/// with a copy of this process's memory and exits with the code that `body` returns. It is killed when this process
/// ends, or after `limit_s` seconds if that is not 0, with exit code `out_of_time`. This process must have one
/// thread and must not have started SystemC. SimulationError if the host provides no process or pipe; Interrupted,
/// after the child is killed, where an interruption throws (interrupt.h).
ProcessOutput run_in_child(const std::function<int()>& body, std::int64_t limit_s = 0);

/// Runs code that is not the program's own, a library or a Python program, as above. It returns its result through the
/// descriptor that `body` is given, which exec() keeps open; ProcessOutput::out has it. What the code prints, to stdout
/// or stderr, goes to the stderr of this process. ProcessOutput::error has only the signal that ended it.
ProcessOutput run_foreign_code(const std::function<int(int result)>& body);

/// In a process that was just forked: makes it die with its parent, and resets signals to their defaults.
void die_with_parent(int parent);

}  // namespace podsim::base::host
