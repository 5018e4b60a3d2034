// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/make_chip_memory.h"

#include "hw/memory/banks/bank_memory.h"
#include "hw/memory/stream_memory.h"

namespace podsim::hw::chip {

std::unique_ptr<memory::ChipMemory> make_chip_memory(sc_core::sc_module_name name, memory::MemoryDetail detail,
                                                     const Machine& machine, host::HostPort& host,
                                                     noc::ici::IciPort* ici, const Trace& trace) {
  if (detail == memory::MemoryDetail::stream) return std::make_unique<memory::StreamMemory>(name, machine, trace);
  auto banks = std::make_unique<memory::banks::BankMemory>(name, machine, host, trace);
  if (ici != nullptr) banks->connect(*ici);
  return banks;
}

}  // namespace podsim::hw::chip
