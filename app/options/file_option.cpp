// SPDX-License-Identifier: Apache-2.0
#include "app/options/file_option.h"

#include <CLI/CLI.hpp>

#include "base/host/arguments.h"

namespace podsim::app::options {

CLI::Option* add_file_option(CLI::App& command, const std::string& flag, std::string& path, const std::string& what) {
  return command
      .add_option_function<std::string>(
          flag, [flag, &path](const std::string& text) { path = base::host::parse_path(flag, text); }, what)
      ->option_text("FILE");
}

}  // namespace podsim::app::options
