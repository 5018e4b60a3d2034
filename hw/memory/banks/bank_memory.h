// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>

#include "hw/memory/banks/bank_dma.h"
#include "hw/memory/banks/bank_hbm.h"
#include "hw/memory/banks/chip_ports.h"
#include "hw/memory/banks/core_port.h"
#include "hw/memory/banks/host_dma.h"
#include "hw/memory/banks/host_memory_port.h"
#include "hw/memory/banks/ici_memory_port.h"
#include "hw/memory/banks/memory_port.h"
#include "hw/memory/chip_memory.h"
#include "noc/chip_switch/on_chip_switch.h"

namespace podsim::hw::memory::banks {

/// The memory of a chip at bank level. Around the on-chip switch are the HBM halves, the cores' DMA engines (BankDma)
/// and memories, the host, and the links to other chips. Every access to a half, whether from its own core, the other
/// core or another chip, passes through the switch and competes there. No data are kept.
class BankMemory : public ChipMemory {
 public:
  /// `host` must outlive the memory.
  BankMemory(sc_core::sc_module_name name, const Machine& machine, host::HostPort& host, const Trace& trace);

  tlm::tlm_target_socket<>& from_dma(int core) override { return dma(core).from_engine; }
  bool shares_halves() const override { return false; }
  void move_beside(int, Direction, base::Bytes, base::Time) override {}
  void stop_beside(int) override {}
  base::Bytes moved(int core, Direction direction) const override { return dmas_[std::size_t(core)].moved(direction); }
  /// Connects the links to other chips. Called at most once, before the simulation starts.
  void connect(noc::ici::IciPort& ici);

  const ChipPorts& ports() const { return ports_; }
  const noc::chip_switch::OnChipSwitch& chip_switch() const { return switch_; }
  BankDma& dma(int core) { return dmas_[std::size_t(core)]; }
  BankHbm& half(int core) { return halves_[std::size_t(core)]; }
  CorePort& core_port(int core) { return core_ports_[std::size_t(core)]; }
  HostDma& host_dma() { return host_dma_; }
  /// Where whole transfers lie in a half.
  TransferAddresses& addresses(int core) { return addresses_[std::size_t(core)]; }

  /// Ports for DmaCopy: an HBM half, another core's memories, the host's memory. With nonzero hops, the port of that
  /// kind on the chip at that distance.
  DmaPort hbm(int core, const noc::Coordinates& hops = {}) const { return at(ports_.hbm(core), hops); }
  DmaPort core(int core, const noc::Coordinates& hops = {}) const { return at(ports_.core(core), hops); }
  DmaPort host(const noc::Coordinates& hops = {}) const { return at(ports_.host(), hops); }

 private:
  DmaPort at(int port, const noc::Coordinates& hops) const;

  ChipPorts ports_;
  noc::chip_switch::OnChipSwitch switch_;
  std::deque<BankHbm> halves_;
  std::deque<MemoryPort> memory_ports_;
  std::deque<CorePort> core_ports_;
  std::deque<BankDma> dmas_;
  std::vector<TransferAddresses> addresses_;  ///< by half
  HostMemoryPort host_port_;
  HostDma host_dma_;
  std::unique_ptr<IciMemoryPort> ici_port_;
};

}  // namespace podsim::hw::memory::banks
