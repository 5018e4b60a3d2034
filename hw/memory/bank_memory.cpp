// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/bank_memory.h"

#include <string>

namespace podsim::hw {

BankMemory::BankMemory(sc_core::sc_module_name name, const Machine& machine, const Trace& trace)
    : ChipMemory(name),
      ports_(machine),
      switch_("switch", machine.chip_switch, machine.clock, ports_.count(), trace.sink, trace.scope + ".switch") {
  for (int core = 0; core < ports_.cores(); ++core) {
    const std::string number = std::to_string(core);
    const Trace core_trace = trace.below("core" + number);
    halves_.emplace_back(("hbm" + number).c_str(), machine, nullptr, core_trace.below("hbm"));
    memory_ports_.emplace_back(("port" + number).c_str(), halves_.back(), machine.chip_switch.queue_packets);
    switch_.out(ports_.hbm(core)).bind(memory_ports_.back().from_switch);
    dmas_.emplace_back(("dma" + number).c_str(), machine, ports_.hbm(core), core_trace.below("dma"));
    dmas_.back().to_switch.bind(switch_.in(ports_.core(core)));
  }
}

}  // namespace podsim::hw
