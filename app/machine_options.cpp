// SPDX-License-Identifier: Apache-2.0
#include "app/machine_options.h"

#include <CLI/CLI.hpp>

#include "workloads/machines.h"

namespace podsim::app {

void MachineOptions::add_machine_option(CLI::App& command) {
  command.add_option("--machine", machine, "Built-in machine or machine file (.toml)")->capture_default_str();
}

void MachineOptions::add_set_option(CLI::App& command) {
  command.add_option("--set", assignments, "Change a machine value, KEY=VALUE, such as ici.link_rate='164 GB/s'")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

base::Config MachineOptions::load() const {
  base::Config config = workloads::machine_config(machine);
  for (const std::string& assignment : assignments) config.set(assignment);
  return config;
}

}  // namespace podsim::app
