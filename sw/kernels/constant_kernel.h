// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Fills in program and tile_op: every word of outputs[0], its padding included, becomes a value; which is that of its
/// elements if they are f32, or if it is 0.
void build_constant(const hw::Machine& machine, Kernel& kernel, float value);

}  // namespace podsim::sw
