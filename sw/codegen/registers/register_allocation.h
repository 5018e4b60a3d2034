// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/block.h"

namespace podsim::sw::codegen::registers {

/// Machine registers of the virtual registers of scheduled code, by Register::number().
using RegisterNumbers = std::vector<int>;

/// A class that has no register left, and the block in which that happened.
struct RegisterShortage {
  RegisterClass cls = RegisterClass::scalar;
  int block = 0;
};

struct RegisterAllocation {
  RegisterNumbers numbers;
  std::optional<RegisterShortage> shortage;  ///< if present, `numbers` is incomplete
};

/// Gives each virtual register one machine register for the whole program. The register is occupied in the rows in
/// which the virtual register is live, from the write to the last read, and at least for the latency of the write,
/// during which no other write is allowed. Virtual registers may share a register if they are never live at the same
/// time. Registers are assigned in the order in which the virtual registers are first written. Each gets the lowest
/// register that is free in all of its rows.
RegisterAllocation allocate_registers(const hw::Machine& machine, const BlockList& blocks);

}  // namespace podsim::sw::codegen::registers
