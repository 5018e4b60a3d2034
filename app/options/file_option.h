// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace podsim::app::options {

/// Adds a flag that takes the path of a file and stores it in `path`, which must outlive the parsing. `what` is the
/// help text. An empty path is an InputError at the flag.
CLI::Option* add_file_option(CLI::App& command, const std::string& flag, std::string& path, const std::string& what);

}  // namespace podsim::app::options
