// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_memory.h"

#include <cassert>
#include <string>

namespace podsim::hw::memory::banks {

BankMemory::BankMemory(sc_core::sc_module_name name, const Machine& machine, host::HostPort& host, const Trace& trace)
    : ChipMemory(name),
      ports_(machine),
      switch_("switch", machine.chip_switch, machine.clock, ports_.count(), trace.sink, trace.scope + ".switch"),
      addresses_(std::size_t(machine.cores_per_chip), TransferAddresses(machine)),
      host_port_("host_port", host),
      host_dma_("host_dma", machine, trace.below("host")) {
  for (int core = 0; core < ports_.cores(); ++core) {
    const std::string number = std::to_string(core);
    const Trace core_trace = trace.below("core" + number);
    halves_.emplace_back(("hbm" + number).c_str(), machine, nullptr, core_trace.below("hbm"));
    memory_ports_.emplace_back(("port" + number).c_str(), halves_.back(), machine.chip_switch.queue_packets);
    switch_.out(ports_.hbm(core)).bind(memory_ports_.back().from_switch);
    core_ports_.emplace_back(("core_port" + number).c_str());
    switch_.out(ports_.core(core)).bind(core_ports_.back().from_switch);
    dmas_.emplace_back(("dma" + number).c_str(), machine, ports_.hbm(core), core_trace.below("dma"));
    dmas_.back().to_switch.bind(switch_.in(ports_.core(core)));
  }
  switch_.out(ports_.host()).bind(host_port_.from_switch);
  host_dma_.to_switch.bind(switch_.in(ports_.host()));
}

void BankMemory::connect(noc::ici::IciPort& ici) {
  assert(ici_port_ == nullptr);
  ici_port_ = std::make_unique<IciMemoryPort>((std::string(basename()) + "_ici").c_str(), ports_, switch_, ici);
}

DmaPort BankMemory::at(int port, const noc::Coordinates& hops) const {
  for (int dimension = 0; dimension < noc::max_dimensions; ++dimension) {
    const std::int32_t count = hops[std::size_t(dimension)];
    if (count != 0) return {ports_.ici(ChipPorts::link(dimension, count)), RemotePort{hops, port}};
  }
  return {port};
}

}  // namespace podsim::hw::memory::banks
