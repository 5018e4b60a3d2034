// SPDX-License-Identifier: Apache-2.0
#include "hw/memory_levels.h"

namespace podsim::hw {

std::vector<MemoryLevel> memory_levels(const Machine& machine) {
  std::vector<MemoryLevel> all{{level::hbm, "hbm", machine.hbm.usable_per_core()}, {level::vmem, "vmem", machine.vmem}};
  for (const parts::level::Parameters& declared : machine.levels) {
    all.push_back({int(all.size()), declared.name, declared.core_capacity()});
  }
  return all;
}

const parts::level::Parameters* declared_level(const Machine& machine, int number) {
  const int index = number - level::first_declared;
  return index >= 0 && index < int(machine.levels.size()) ? &machine.levels[std::size_t(index)] : nullptr;
}

}  // namespace podsim::hw
