// SPDX-License-Identifier: Apache-2.0
#include "app/options/keys_without_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/host/standard_output.h"

namespace podsim::app::options {

namespace {

/// Said of a machine whose HBM streams faster than its on-chip switch passes; empty for others.
std::string held_back(const base::Config& machine) {
  const base::Bandwidth streams = machine.bandwidth("hbm.stream_rate");
  const base::Bandwidth port(double(machine.integer("switch.bytes_per_cycle")) * machine.frequency("core.clock").si());
  if (port >= streams) return "";
  return fmt::format(
      "a port of the on-chip switch passes {} in a direction, of {} that the HBM streams: 'switch.bytes_per_cycle' is "
      "the limit",
      base::to_string(port), base::to_string(streams));
}

}  // namespace

std::vector<std::string> keys_without_effect(const base::Config& machine,
                                             std::span<const base::parameters::KeyLevel> levels) {
  std::vector<std::string> warnings;
  for (const base::ConfigEntry& entry : machine.entries()) {
    const std::string where = sw::acts_elsewhere(entry.key, levels);
    if (entry.evidence != base::Evidence::user || where.empty()) continue;
    warnings.push_back(fmt::format("{} = {} changes nothing here; {}", entry.key, entry.text, where));
  }
  if (std::ranges::find(levels, base::parameters::KeyLevel::ops) != levels.end()) {
    if (std::string limit = held_back(machine); !limit.empty()) warnings.push_back(std::move(limit));
  }
  return warnings;
}

void warn_of_keys_without_effect(const base::Config& machine,
                                 std::initializer_list<base::parameters::KeyLevel> levels) {
  for (const std::string& warning : keys_without_effect(machine, {levels.begin(), levels.size()}))
    base::host::print_warning(warning);
}

}  // namespace podsim::app::options
