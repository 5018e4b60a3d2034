// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"

/// What two runs, or two points of studies, were asked for that differs.
namespace podsim::sw {

/// A word of the configuration; empty where one of the two has none.
struct SettingDifference {
  std::string key;
  std::string a, b;
};

/// A key of the machine; nothing where a machine does not have it.
struct MachineDifference {
  std::string key;
  std::optional<base::ConfigEntry> a, b;
};

/// The keys of two listings that differ in value, however it is written: 8 Gb/s is 1 GB/s.
std::vector<MachineDifference> compare_machines(const std::vector<base::ConfigEntry>& a,
                                                const std::vector<base::ConfigEntry>& b);

/// A table, or a line that says that nothing differs.
std::string configuration_text(const std::vector<SettingDifference>& settings,
                               const std::vector<MachineDifference>& machine);
nlohmann::ordered_json settings_json(const std::vector<SettingDifference>& settings);
nlohmann::ordered_json machine_json(const std::vector<MachineDifference>& machine);

}  // namespace podsim::sw
