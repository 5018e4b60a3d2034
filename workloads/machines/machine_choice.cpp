// SPDX-License-Identifier: Apache-2.0
#include "workloads/machines/machine_choice.h"

#include <algorithm>
#include <optional>

#include "base/host/arguments.h"
#include "hw/memory/dram/stream_calibration.h"
#include "workloads/machines/machines.h"
#include "workloads/machines/model_settings.h"

namespace podsim::workloads::machines {

base::Config MachineChoice::load() const { return with_assignments(load_named()); }

base::Config MachineChoice::load_named() const {
  std::optional<base::Config> config;
  base::host::locate_errors("machine", machine, [&] { config = machine_config(machine); });
  return *std::move(config);
}

base::Config MachineChoice::with_assignments(base::Config named) const {
  for (const std::string& assignment : assignments) named.set(assignment);
  hw::memory::dram::recalibrate_streams(named);
  return named;
}

bool MachineChoice::assigns(std::string_view key) const {
  return std::ranges::any_of(assignments, [&](std::string_view assignment) {
    const std::size_t begin = std::min(assignment.find_first_not_of(' '), assignment.size());
    const std::size_t end = assignment.find_first_of(" =", begin);
    return assignment.substr(begin, end - begin) == key;
  });
}

std::map<std::string, std::string, std::less<>> MachineChoice::take_model_settings() {
  std::map<std::string, std::string, std::less<>> settings;
  std::erase_if(assignments, [&](const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (!is_model_setting(assignment) || equals == std::string::npos) return false;
    settings[assignment.substr(0, equals)] = assignment.substr(equals + 1);
    return true;
  });
  return settings;
}

}  // namespace podsim::workloads::machines
