// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "hw/chip_memory.h"
#include "hw/memory/bank_hbm.h"
#include "hw/memory/chip_ports.h"
#include "hw/memory/granule_dma.h"
#include "hw/memory/memory_port.h"
#include "noc/on_chip_switch.h"

namespace podsim::hw {

/// A chip's memory at bank level: the HBM halves and the cores' granule engines around the on-chip switch. Whoever
/// wants a half, its own core or another, reaches it through the switch and competes for it. No data are kept.
class BankMemory : public ChipMemory {
 public:
  BankMemory(sc_core::sc_module_name name, const Machine& machine, const Trace& trace);

  tlm::tlm_target_socket<>& from_dma(int core) override { return dma(core).from_engine; }
  base::Bytes moved(int core, Direction direction) const override { return dmas_[std::size_t(core)].moved(direction); }

  const ChipPorts& ports() const { return ports_; }
  GranuleDma& dma(int core) { return dmas_[std::size_t(core)]; }
  BankHbm& half(int core) { return halves_[std::size_t(core)]; }
  noc::OnChipSwitch& chip_switch() { return switch_; }

 private:
  ChipPorts ports_;
  noc::OnChipSwitch switch_;
  std::deque<BankHbm> halves_;
  std::deque<MemoryPort> memory_ports_;
  std::deque<GranuleDma> dmas_;
};

}  // namespace podsim::hw
