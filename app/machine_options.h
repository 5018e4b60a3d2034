// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace CLI {
class App;
}

namespace podsim::app {

/// The flags that choose a machine, shared by the commands that need one.
struct MachineOptions {
  std::string machine = "tpu-v3";
  std::vector<std::string> assignments;

  void add_machine_option(CLI::App& command);
  void add_set_option(CLI::App& command);
  /// Built-in < file < --set; InputError for anything that does not fit.
  base::Config load() const;
};

}  // namespace podsim::app
