// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/stream_memory.h"

#include <string>

namespace podsim::hw::memory {

StreamMemory::StreamMemory(sc_core::sc_module_name name, const Machine& machine, const Trace& trace,
                           std::shared_ptr<dram::StreamRates> rates)
    : ChipMemory(name) {
  if (!rates) rates = std::make_shared<dram::StreamRates>(machine.dram, machine.dma.granules);
  for (int core = 0; core < int(machine.cores_per_chip); ++core) {
    const std::string number = std::to_string(core);
    halves_.emplace_back(("hbm" + number).c_str(), machine, trace.below("core" + number).below("hbm"), rates);
  }
}

}  // namespace podsim::hw::memory
