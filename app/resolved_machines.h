// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/machine_options.h"
#include "base/config.h"

namespace podsim::app {

/// The machines that command lines ask for, each named machine read once.
class ResolvedMachines {
 public:
  /// The machine that --machine and --set of `arguments` make, with every value, as TOML; empty where they make none,
  /// which a run with these arguments says.
  std::string toml(const std::vector<std::string>& arguments);

 private:
  std::map<std::string, base::Config> named_;
};

}  // namespace podsim::app
