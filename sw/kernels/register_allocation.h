// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/block.h"

namespace podsim::sw {

/// The machine's registers for the virtual ones of scheduled code, by Register::number().
using RegisterNumbers = std::vector<int>;

/// What a class has no register left for: the block in which it happened.
struct RegisterShortage {
  RegisterClass cls = RegisterClass::scalar;
  int block = 0;
};

struct RegisterAllocation {
  RegisterNumbers numbers;
  std::optional<RegisterShortage> shortage;  ///< numbers are of no use then
};

/// A virtual register is given one register for the whole program. It takes it in the rows in which it is alive, from
/// the write (and at least for the latency of the write, as nothing else may be written then) to the last read; two
/// may share a register if they never are alive together. Registers are handed out in the order in which the virtual
/// ones are first written, the lowest that is free in all rows of the new one.
RegisterAllocation allocate_registers(const hw::Machine& machine, const BlockList& blocks);

}  // namespace podsim::sw
