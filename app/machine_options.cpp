// SPDX-License-Identifier: Apache-2.0
#include "app/machine_options.h"

#include <CLI/CLI.hpp>
#include <optional>

#include "app/arguments.h"
#include "hw/memory/stream_calibration.h"
#include "workloads/machines.h"

namespace podsim::app {

void MachineOptions::add_machine_option(CLI::App& command) {
  command
      .add_option("--machine", machine,
                  "A built-in machine, tpu-v2, tpu-v3 [default] or tpu-v3-hbm3, or\na machine file (.toml)")
      ->option_text("MACHINE");
}

void MachineOptions::add_set_option(CLI::App& command) {
  command
      .add_option("--set", assignments,
                  "Change a value of the machine, such as\nici.link_rate='164 GB/s'; may be repeated")
      ->type_name("KEY=VALUE")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
}

base::Config MachineOptions::load() const { return with_assignments(load_named()); }

base::Config MachineOptions::load_named() const {
  std::optional<base::Config> config;
  locate_errors("machine", machine, [&] { config = workloads::machine_config(machine); });
  return *std::move(config);
}

base::Config MachineOptions::with_assignments(base::Config named) const {
  for (const std::string& assignment : assignments) named.set(assignment);
  hw::recalibrate_streams(named);
  return named;
}

std::map<std::string, std::string, std::less<>> MachineOptions::take_model_settings() {
  std::map<std::string, std::string, std::less<>> settings;
  std::erase_if(assignments, [&](const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (!assignment.starts_with("model.") || equals == std::string::npos) return false;
    settings[assignment.substr(0, equals)] = assignment.substr(equals + 1);
    return true;
  });
  return settings;
}

}  // namespace podsim::app
