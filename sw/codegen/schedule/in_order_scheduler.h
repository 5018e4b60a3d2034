// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/block.h"

namespace podsim::sw::codegen::schedule {

/// Schedules operations in the order in which they were written, each in the first bundle, not before its
/// predecessor's, in which its operands are ready. Only the last operation may be a branch; it is in the last row.
registers::Block schedule_in_order(const hw::Machine& machine, std::vector<registers::Operation> operations);

}  // namespace podsim::sw::codegen::schedule
