// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"

/// Differences between the configurations of two runs or of two points of studies.
namespace podsim::report::compare {

/// A setting; its value is empty for a run without it.
struct SettingDifference {
  std::string key;
  std::string a, b;
};

/// A key of the machine; nullopt for a machine without it.
struct MachineDifference {
  std::string key;
  std::optional<base::ConfigEntry> a, b;
};

/// The keys of two listings whose values differ. Notation does not matter: 8 Gb/s equals 1 GB/s.
std::vector<MachineDifference> compare_machines(const std::vector<base::ConfigEntry>& a,
                                                const std::vector<base::ConfigEntry>& b);

/// A table, or a line stating that nothing differs.
std::string configuration_text(const std::vector<SettingDifference>& settings,
                               const std::vector<MachineDifference>& machine);
nlohmann::ordered_json settings_json(const std::vector<SettingDifference>& settings);
nlohmann::ordered_json machine_json(const std::vector<MachineDifference>& machine);

}  // namespace podsim::report::compare
