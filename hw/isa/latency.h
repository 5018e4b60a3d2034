// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/bundle.h"
#include "hw/machine.h"

namespace podsim::hw::isa {

/// Returns the cycles from the issue of an operation until a bundle may read its destination register. They are the
/// machine file's latencies of the scalar and vector ALUs, of vector loads and of SMEM loads. A pop, and the register
/// that s_loop counts down, have the scalar ALU's latency. Zero for operations that write no register. The core and the
/// scheduler of generated kernels both use this function.
base::Cycles result_latency(const Machine& machine, Opcode opcode);

}  // namespace podsim::hw::isa
