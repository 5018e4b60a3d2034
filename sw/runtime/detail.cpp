// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/detail.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/text/glob.h"

namespace podsim::sw::runtime {

namespace {
constexpr std::array<std::pair<Detail, const char*>, 4> levels{
    {{Detail::automatic, "auto"}, {Detail::tile, "tile"}, {Detail::replay, "replay"}, {Detail::chip, "chip"}}};
}

std::string to_string(Detail detail) {
  return std::ranges::find(levels, detail, &std::pair<Detail, const char*>::first)->second;
}

Detail parse_detail(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [level, its_name] : levels) {
    if (name == its_name) return level;
    names.emplace_back(its_name);
  }
  std::string hint = base::did_you_mean(name, names);
  throw base::InputError("'" + std::string(name) + "' is not a level of detail",
                         hint.empty() ? "one of: auto, tile, replay, chip" : hint);
}

std::vector<bool> real_chips(Detail detail, const std::vector<std::string>& patterns,
                             const noc::FoldedTopology& topology) {
  std::vector<bool> real(std::size_t(topology.representatives().nodes()), detail == Detail::tile);
  if (detail != Detail::automatic && detail != Detail::chip) return real;
  if (patterns.empty()) real[0] = true;
  for (noc::NodeId chip = 0; chip < topology.full().nodes(); ++chip) {
    const std::string name = "chip" + topology.full().name(chip);
    const auto matches = [&](const std::string& pattern) { return base::text::glob_match(pattern, name); };
    if (std::ranges::any_of(patterns, matches)) real[std::size_t(topology.representative_of(chip))] = true;
  }
  return real;
}

}  // namespace podsim::sw::runtime
