// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"

namespace podsim::workloads::machines {

/// A machine as a command line gives it: --machine, and the assignments of --set.
struct MachineChoice {
  std::string machine = "tpu-v3";
  std::vector<std::string> assignments;

  /// The configuration, in which --set overrides files and files override built-in values. Throws base::InputError for
  /// anything that does not fit.
  base::Config load() const;
  /// load() in two parts: the machine by its name or file, and the assignments of --set.
  base::Config load_named() const;
  base::Config with_assignments(base::Config named) const;

  /// True if --set assigns to the key.
  bool assigns(std::string_view key) const;

  /// Removes the assignments of keys that begin with "model.", which belong to a workload, and returns them.
  std::map<std::string, std::string, std::less<>> take_model_settings();
};

}  // namespace podsim::workloads::machines
