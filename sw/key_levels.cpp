// SPDX-License-Identifier: Apache-2.0
#include "sw/key_levels.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/parameters/section.h"
#include "hw/input/input_parameters.h"
#include "hw/machine.h"
#include "hw/parts/reliability/reliability_parameters.h"
#include "sw/compiler_parameters.h"
#include "workloads/job/job_parameters.h"

namespace podsim::sw {
namespace {

using LevelsByKey = std::map<std::string, base::parameters::KeyLevels, std::less<>>;

LevelsByKey all_keys() {
  std::vector<base::parameters::KeyUse> uses = hw::machine_keys();
  append_uses(CompilerParameters::section(), uses);
  append_uses(PassParameters::section(), uses);
  append_uses(CollectiveCode::section(), uses);
  append_uses(FrameworkHost::section(), uses);
  append_uses(hw::input::InputParameters::section(), uses);
  append_uses(workloads::job::JobParameters::section(), uses);
  append_uses(hw::parts::reliability::Parameters::section(), uses);
  LevelsByKey levels;
  for (base::parameters::KeyUse& use : uses) levels.emplace(std::move(use.key), std::move(use.levels));
  return levels;
}

/// "memory.*.capacity" of "memory.cmem.capacity": what hw::machine_keys() has of tables that a file declares.
std::string pattern_of(std::string_view key) {
  const std::size_t begin = std::min(key.find('.'), key.size());
  return std::string(key.substr(0, begin)) + ".*" + std::string(key.substr(std::min(key.rfind('.'), key.size())));
}

}  // namespace

const base::parameters::KeyLevels& levels_of(std::string_view key) {
  static const LevelsByKey all = all_keys();
  static const base::parameters::KeyLevels none;
  auto found = all.find(key);
  if (found == all.end()) found = all.find(pattern_of(key));
  return found == all.end() ? none : found->second;
}

std::string acts_elsewhere(std::string_view key, std::span<const base::parameters::KeyLevel> simulated) {
  const base::parameters::KeyLevels& levels = levels_of(key);
  if (levels.empty() || std::ranges::find_first_of(levels, simulated) != levels.end()) return "";
  std::string places;
  for (const base::parameters::KeyLevel level : levels)
    places += (places.empty() ? "" : ", ") + base::parameters::to_string(level);
  return "it acts on " + places;
}

}  // namespace podsim::sw
