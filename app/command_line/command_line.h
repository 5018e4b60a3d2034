// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace podsim::app::command_line {

/// Texts of a program's help.
struct ProgramText {
  std::string name, description, footer;
};
/// Declares the commands of a program; they set `code` when they run. `words` is the command line.
using AddCommands = std::function<void(CLI::App& program, const std::vector<std::string>& words, int& code)>;

/// Parses the arguments, runs the command they name, prints errors like a compiler, returns the exit code.
int run_command_line(int argc, char** argv, const ProgramText& text, const AddCommands& add);

}  // namespace podsim::app::command_line
