// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
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
  /// The same in its two parts: the machine by its name or file, and what --set changes of it.
  base::Config load_named() const;
  base::Config with_assignments(base::Config named) const;

  /// The keys that begin with "model." are those of a workload: takes their assignments out and gives them back.
  std::map<std::string, std::string, std::less<>> take_model_settings();
};

}  // namespace podsim::app
