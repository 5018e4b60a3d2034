// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Fills in program and tile_op: the tiles of inputs[0], as `rows` x `columns` elements, transposed into outputs[0].
/// The cross-lane unit turns blocks of 128 x 128; a tile is a row of blocks, or a column where there is only one.
void build_transpose(const hw::Machine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns);

/// [rows, columns] to [columns, rows].
KernelFamily transpose_family();

}  // namespace podsim::sw
