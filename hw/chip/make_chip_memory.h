// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>

#include "hw/host/host_port.h"
#include "hw/machine.h"
#include "hw/memory/chip_memory.h"
#include "hw/trace.h"

namespace podsim::hw::chip {

/// Makes a chip's memory at the given level of detail. `trace` is that of the chip; a core's half is shown below the
/// core. `host` must outlive the memory.
std::unique_ptr<memory::ChipMemory> make_chip_memory(sc_core::sc_module_name name, memory::MemoryDetail detail,
                                                     const Machine& machine, host::HostPort& host, const Trace& trace);

}  // namespace podsim::hw::chip
