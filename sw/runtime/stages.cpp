// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/stages.h"

#include <algorithm>

namespace podsim::sw::runtime {

Stages::Stages(const compiler::Program& program, std::int32_t cores) : program_(program) {
  for (std::int32_t core = 0; core < cores; ++core) {
    const auto [stage, is_new] = numbers_.try_emplace(branches_of(core), numbers_.size());
    if (is_new) stages_.push_back({.first_core = core});
    ++stages_[stage->second].cores;
  }
}

std::vector<bool> Stages::branches_of(std::int32_t core) const {
  std::vector<bool> taken;
  for (const auto& set : program_.core_sets) taken.push_back(std::ranges::binary_search(set, core));
  return taken;
}

}  // namespace podsim::sw::runtime
