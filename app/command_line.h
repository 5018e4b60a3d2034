// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace podsim::app {

/// Exit codes of the program.
enum ExitCode {
  done = 0,
  failed = 1,        ///< a simulation or check failed
  bad_input = 2,     ///< bad input or usage
  some_failed = 3,   ///< some points of a sweep failed
  interrupted = 130  ///< SIGINT; partial results were kept
};

/// The exit code of `command`, or that of what it throws, which is printed like a compiler's error.
int with_errors_printed(const std::function<int()>& command);

/// Parses the arguments, runs the command they name, prints errors like a compiler, returns the exit code.
int run_command_line(int argc, char** argv);

}  // namespace podsim::app
