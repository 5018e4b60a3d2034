// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Fills in program and tile_op: the f32 vector outputs[0] filled with a value.
void build_constant(const hw::Machine& machine, Kernel& kernel, float value);

}  // namespace podsim::sw
