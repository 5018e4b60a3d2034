// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/stream_memory.h"

#include <string>

namespace podsim::hw::memory {

StreamMemory::StreamMemory(sc_core::sc_module_name name, const Machine& machine, const Trace& trace)
    : ChipMemory(name) {
  for (int core = 0; core < int(machine.cores_per_chip); ++core) {
    const std::string number = std::to_string(core);
    halves_.emplace_back(("hbm" + number).c_str(), machine, trace.below("core" + number).below("hbm"));
  }
}

}  // namespace podsim::hw::memory
