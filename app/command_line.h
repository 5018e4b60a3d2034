// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

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

/// What a program says of itself.
struct ProgramText {
  std::string name, description, footer;
};
/// Declares commands, which set `code` when they run; `words` is the command line.
using AddCommands = std::function<void(CLI::App& program, const std::vector<std::string>& words, int& code)>;

/// The same of a program with commands of its own.
int run_command_line(int argc, char** argv, const ProgramText& text, const AddCommands& add);

}  // namespace podsim::app
