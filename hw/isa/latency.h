// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/bundle.h"
#include "hw/machine.h"

namespace podsim::hw::isa {

/// Cycles from the issue of an operation until a bundle may read its destination register: the scalar and vector ALUs',
/// loads' and SMEM's latencies of the machine file; a pop's is that of a scalar operation. The core and the scheduler
/// of generated kernels both ask here. s_loop counts its register down with the scalar ALU's latency. Zero for
/// operations that write no register.
base::Cycles result_latency(const Machine& machine, Opcode opcode);

}  // namespace podsim::hw::isa
