// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>

#include "hw/chip_memory.h"
#include "hw/memory/bank_hbm.h"
#include "hw/memory/chip_ports.h"
#include "hw/memory/core_port.h"
#include "hw/memory/granule_dma.h"
#include "hw/memory/host_memory_port.h"
#include "hw/memory/ici_memory_port.h"
#include "hw/memory/memory_port.h"
#include "noc/on_chip_switch.h"

namespace podsim::hw {

/// A chip's memory at bank level: the HBM halves, the cores' granule engines and memories, the host and the links to
/// other chips around the on-chip switch. Whoever wants a half, its own core, the other, or another chip's, reaches it
/// through the switch and competes for it. No data are kept.
class BankMemory : public ChipMemory {
 public:
  /// `host` outlives the memory.
  BankMemory(sc_core::sc_module_name name, const Machine& machine, HostPort& host, const Trace& trace);

  tlm::tlm_target_socket<>& from_dma(int core) override { return dma(core).from_engine; }
  base::Bytes moved(int core, Direction direction) const override { return dmas_[std::size_t(core)].moved(direction); }
  /// Joins the links to other chips; once, before the simulation starts.
  void connect(noc::IciPort& ici);

  const ChipPorts& ports() const { return ports_; }
  GranuleDma& dma(int core) { return dmas_[std::size_t(core)]; }
  BankHbm& half(int core) { return halves_[std::size_t(core)]; }
  CorePort& core_port(int core) { return core_ports_[std::size_t(core)]; }

  /// As DmaCopy wants them: an HBM half, another core's memories, the host's memory; far away by hops that are not
  /// all zero, then of the chip there.
  DmaPort hbm(int core, const noc::Coordinates& hops = {}) const { return at(ports_.hbm(core), hops); }
  DmaPort core(int core, const noc::Coordinates& hops = {}) const { return at(ports_.core(core), hops); }
  DmaPort host(const noc::Coordinates& hops = {}) const { return at(ports_.host(), hops); }

 private:
  DmaPort at(int port, const noc::Coordinates& hops) const;

  ChipPorts ports_;
  noc::OnChipSwitch switch_;
  std::deque<BankHbm> halves_;
  std::deque<MemoryPort> memory_ports_;
  std::deque<CorePort> core_ports_;
  std::deque<GranuleDma> dmas_;
  HostMemoryPort host_port_;
  std::unique_ptr<IciMemoryPort> ici_port_;
};

}  // namespace podsim::hw
