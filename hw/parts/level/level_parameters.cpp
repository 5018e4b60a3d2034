// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/level/level_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/parameters/related_values.h"
#include "base/parameters/section.h"

namespace podsim::hw::parts::level {
namespace {

constexpr std::string_view scope = "memory.", first_key = ".capacity";

std::string capacity_key(const Parameters& level) { return std::string(scope) + level.name + std::string(first_key); }

/// Whether counts, joules or areas of another part of a chip have the name (hw/activity.h, hw/energy).
bool is_part(std::string_view name) {
  constexpr std::array parts{"mxu", "vector", "cross_lane", "scalar", "dma",     "switch",
                             "ici", "host",   "wires",      "other",  "memories"};
  return std::ranges::find(parts, name) != parts.end();
}

}  // namespace

base::parameters::Section<Parameters> Parameters::section(const std::string& name) {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  return {std::string(scope) + name,
          {
              {"capacity", &Parameters::capacity, Size{base::Bytes(1LL << 50)}, {ops, limits}},
              {"shared", &Parameters::shared, Flag{}, {ops, limits}},
              {"read_rate", &Parameters::read_rate, Rate{}, {ops}},
              {"write_rate", &Parameters::write_rate, Rate{}, {ops}},
              {"latency", &Parameters::latency, CoveringCycles{}, {ops}},
          }};
}

std::vector<Parameters> declared_levels(const base::Config& config) {
  std::vector<Parameters> levels;
  for (const base::ConfigEntry& entry : config.entries()) {
    if (!entry.key.starts_with(scope) || !entry.key.ends_with(first_key)) continue;
    const std::size_t length = entry.key.size() - scope.size() - first_key.size();
    levels.emplace_back().name = entry.key.substr(scope.size(), length);
  }
  return levels;
}

void complete(const base::Config& config, std::size_t most, std::int64_t cores, std::vector<Parameters>& levels) {
  for (std::size_t number = 0; number < levels.size(); ++number) {
    Parameters& level = levels[number];
    const std::string key = capacity_key(level);
    if (level.name == "hbm" || level.name == "vmem") {
      config.reject(key, fmt::format("'{}' is the name of another memory", level.name),
                    "a level has a name of its own");
    }
    if (is_part(level.name)) {
      config.reject(key, fmt::format("'{}' is the name of a part of a chip", level.name),
                    "a level has a name of its own");
    }
    if (number >= most) {
      config.reject(key, fmt::format("a machine has at most {} levels of memory beside HBM and VMEM", most));
    }
    if (level.shared) level.parts = cores;
    if (level.core_capacity() >= base::Bytes(1)) continue;
    base::parameters::reject_together(config, {key, "core.cores_per_chip"},
                                      fmt::format("a core has no byte of '{}'", level.name));
  }
}

}  // namespace podsim::hw::parts::level
