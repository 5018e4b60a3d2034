// SPDX-License-Identifier: Apache-2.0
#include "workloads/machines/resolved_machines.h"

#include "base/diagnostic.h"

namespace podsim::workloads::machines {
namespace {

MachineChoice machine_options(const std::vector<std::string>& arguments) {
  MachineChoice options;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "--machine") options.machine = arguments[i + 1];
    if (arguments[i] == "--set") options.assignments.push_back(arguments[i + 1]);
  }
  options.take_model_settings();
  return options;
}

}  // namespace

std::string ResolvedMachines::toml(const std::vector<std::string>& arguments) {
  const MachineChoice options = machine_options(arguments);
  try {
    auto named = named_.find(options.machine);
    if (named == named_.end()) named = named_.emplace(options.machine, options.load_named()).first;
    return options.with_assignments(named->second).to_toml();
  } catch (const base::InputError&) {
    return "";
  }
}

}  // namespace podsim::workloads::machines
