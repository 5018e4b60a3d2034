// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/length_keys.h"

#include <algorithm>

namespace podsim::workloads::lengths {

std::optional<LengthKeys> length_keys(const WorkloadEntry& entry, const ModelSettings& settings) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(entry.keys, name, &ModelKey::name) != entry.keys.end();
  };
  const auto value_of = [&](const std::string& name) {
    const auto set = settings.find(name);
    return set != settings.end() ? set->second : std::ranges::find(entry.keys, name, &ModelKey::name)->default_value;
  };
  for (const std::string array : {"model.length", "model.sequence"}) {
    if (!has(array)) continue;
    LengthKeys keys{.array = array, .longest = has("model.longest") ? "model.longest" : ""};
    keys.room = std::stoll(value_of(array));
    keys.packed = has("model.packed") && value_of("model.packed") == "on";
    return keys;
  }
  return std::nullopt;
}

}  // namespace podsim::workloads::lengths
