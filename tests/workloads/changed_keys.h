// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/diagnostic.h"
#include "sw/target_machine.h"
#include "workloads/machines/machines.h"

/// A machine with one key changed at a time, for tests of dependence on keys.
namespace podsim::test {

struct ChangedMachine {
  std::string key;
  std::string value;  ///< instead of the machine's own
  base::Config config;
  sw::TargetMachine machine;
};

/// Values to try instead of an entry's own, as --set takes them.
inline std::vector<std::string> other_values(const base::ConfigEntry& entry) {
  std::vector<std::string> values;
  if (entry.text == "true" || entry.text == "false") return {entry.text == "true" ? "false" : "true"};
  const std::size_t unit = entry.text.find(' ');
  for (const double factor : {2.0, 0.5, 1.01, 0.99, 4.0}) {
    char* end = nullptr;
    const double value = std::strtod(entry.text.c_str(), &end) * factor;
    if (end == entry.text.c_str()) break;
    values.push_back(fmt::format("{}{}", value, unit == std::string::npos ? "" : entry.text.substr(unit)));
  }
  const std::array<const char*, 14> words{"1",           "32",
                                          "1 us",        "1 MiB",
                                          "wormhole",    "fair",
                                          "round_robin", "destination",
                                          "[16, 8]",     "closed",
                                          "per_bank",    "other",
                                          "100 GB/s",    "row bank_group bank column pseudo_channel"};
  values.insert(values.end(), words.begin(), words.end());
  return values;
}

/// The machine with `key` set to a value that it accepts and that is not its own; nothing where no other is known.
inline std::optional<ChangedMachine> change(const std::string& machine, const base::ConfigEntry& entry) {
  for (const std::string& value : other_values(entry)) {
    base::Config config = workloads::machines::machine_config(machine);
    try {
      config.set(entry.key + "=" + value);
      if (config.entry(entry.key).text == entry.text) continue;
      sw::TargetMachine changed = sw::read_target(config);
      return ChangedMachine{entry.key, value, std::move(config), std::move(changed)};
    } catch (const base::InputError&) {
      continue;
    }
  }
  return std::nullopt;
}

/// Every key of the machine but those that no other value is known for.
inline std::vector<ChangedMachine> changed_machines(const std::string& machine) {
  std::vector<ChangedMachine> changed;
  const base::Config config = workloads::machines::machine_config(machine);
  for (const base::ConfigEntry& entry : config.entries()) {
    if (auto one = change(machine, entry)) changed.push_back(*std::move(one));
  }
  return changed;
}

inline bool in_section(std::string_view key, std::string_view section) {
  return key.starts_with(section) && key.substr(section.size()).starts_with('.');
}

}  // namespace podsim::test
