// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::stream {

/// Sets program and tile_op: transposes the tiles of inputs[0], taken as `rows` x `columns` elements, into outputs[0].
/// The cross-lane unit transposes blocks of 128 x 128. A tile is part of a row of blocks, or of a column if there is
/// only one column.
void build_transpose(const TargetMachine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns);

/// Transposes a matrix from [rows, columns] to [columns, rows].
KernelFamily transpose_family();

}  // namespace podsim::sw::codegen::families::stream
