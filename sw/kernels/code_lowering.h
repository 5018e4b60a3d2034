// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "sw/kernels/block.h"
#include "sw/kernels/operation.h"

namespace podsim::sw {

/// Recorded code as scheduled blocks, with the fences that its DMAs need. `next_scalar` is the number of a scalar
/// register that the code does not use; what is needed beyond is taken from there on.
BlockList lower(const hw::Machine& machine, const RecordedCode& code, int& next_scalar);

}  // namespace podsim::sw
