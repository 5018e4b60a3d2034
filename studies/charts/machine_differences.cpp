// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/machine_differences.h"

#include "base/config_listing.h"

namespace podsim::studies::charts {

std::vector<base::ConfigEntry> machine_entries(const store::StudyResults& results, const std::string& machine) {
  const auto found = results.machines.find(machine);
  if (found == results.machines.end()) return {};
  return base::read_listing(results.path.string() + ", machine " + machine, found->second);
}

std::map<std::string, std::vector<MachineDifference>> machine_differences(const store::StudyResults& results,
                                                                          const std::string& reference) {
  std::map<std::string, std::string> values;
  for (const base::ConfigEntry& entry : machine_entries(results, reference)) values[entry.key] = entry.text;
  std::map<std::string, std::vector<MachineDifference>> differences;
  for (const auto& [machine, toml] : results.machines) {
    std::vector<MachineDifference>& list = differences[machine];
    for (const base::ConfigEntry& entry : machine_entries(results, machine)) {
      const auto other = values.find(entry.key);
      const std::string value = other == values.end() ? "" : other->second;
      if (entry.text != value) list.push_back({entry.key, entry.text, base::to_string(entry.evidence), value});
    }
  }
  return differences;
}

}  // namespace podsim::studies::charts
