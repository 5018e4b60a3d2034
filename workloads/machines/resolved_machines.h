// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/config.h"
#include "workloads/machines/machine_choice.h"

namespace podsim::workloads::machines {

/// Resolves the machines of command lines, reading each named machine once.
class ResolvedMachines {
 public:
  /// The machine given by --machine and --set in `arguments`, with every value, as TOML; empty if they are invalid,
  /// which a run with these arguments reports.
  std::string toml(const std::vector<std::string>& arguments);

 private:
  std::map<std::string, base::Config> named_;
};

}  // namespace podsim::workloads::machines
