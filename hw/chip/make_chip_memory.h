// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>

#include "hw/host/host_port.h"
#include "hw/machine.h"
#include "hw/memory/chip_memory.h"
#include "hw/trace.h"
#include "noc/ici/ici_port.h"

namespace podsim::hw::chip {

/// Makes a chip's memory at the given level of detail. `trace` is that of the chip; a core's half is shown below the
/// core. `host` and `ici` must outlive the memory; a chip without links has no `ici`.
std::unique_ptr<memory::ChipMemory> make_chip_memory(sc_core::sc_module_name name, memory::MemoryDetail detail,
                                                     const Machine& machine, host::HostPort& host,
                                                     noc::ici::IciPort* ici, const Trace& trace);

}  // namespace podsim::hw::chip
