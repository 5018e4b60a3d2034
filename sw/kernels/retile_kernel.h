// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Fills in program and tile_op: copies an f32 matrix of `rows` x `columns` between a vector that holds its rows one
/// after the other and tiles of 8 x 128, whichever of inputs[0] and outputs[0] is the vector. Strided DMA gathers and
/// spreads panels of 128 columns, which both layouts have alike in VMEM.
void build_retile(const hw::Machine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns);

}  // namespace podsim::sw
