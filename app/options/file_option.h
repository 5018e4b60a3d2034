// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace podsim::app::options {

/// A flag that takes the path of a file. `path` must outlive the parsing.
CLI::Option* add_file_option(CLI::App& command, const std::string& flag, std::string& path, const std::string& what);

}  // namespace podsim::app::options
