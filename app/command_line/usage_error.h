// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace podsim::app::command_line {

/// An error of the argument parser as a diagnostic that points into the command line and suggests the nearest flag or
/// command. `words` is the command line, the program's name first.
base::Diagnostic usage_diagnostic(const CLI::App& program, const CLI::ParseError& error,
                                  const std::vector<std::string>& words);

}  // namespace podsim::app::command_line
