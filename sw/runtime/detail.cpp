// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/detail.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

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

}  // namespace podsim::sw::runtime
