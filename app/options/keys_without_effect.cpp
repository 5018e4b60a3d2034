// SPDX-License-Identifier: Apache-2.0
#include "app/options/keys_without_effect.h"

#include <fmt/format.h>

#include "base/host/standard_output.h"

namespace podsim::app::options {

std::vector<std::string> keys_without_effect(const base::Config& machine, std::span<const hw::KeyLevel> levels) {
  std::vector<std::string> warnings;
  for (const base::ConfigEntry& entry : machine.entries()) {
    const std::string where = hw::acts_elsewhere(entry.key, levels);
    if (entry.evidence != base::Evidence::user || where.empty()) continue;
    warnings.push_back(fmt::format("{} = {} changes nothing here; {}", entry.key, entry.text, where));
  }
  return warnings;
}

void warn_of_keys_without_effect(const base::Config& machine, std::initializer_list<hw::KeyLevel> levels) {
  for (const std::string& warning : keys_without_effect(machine, {levels.begin(), levels.size()}))
    base::host::print_warning(warning);
}

}  // namespace podsim::app::options
