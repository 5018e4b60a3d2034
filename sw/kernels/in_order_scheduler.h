// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/machine.h"
#include "sw/kernels/block.h"

namespace podsim::sw {

/// Operations in the order in which they were written, each in the first bundle from its predecessor's on in which its
/// operands are there. A branch may only be the last; it is in the last row.
Block schedule_in_order(const hw::Machine& machine, std::vector<Operation> operations);

}  // namespace podsim::sw
