// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/row_code.h"

namespace podsim::sw {

/// Fills in program and tile_op of `kernel`: tiles are whole rows, read once; all passes of `rows` read the tile in
/// VMEM, and the last writes. base::InputError when eight rows do not fit VMEM, twice in and twice out.
void build_resident_rows(const hw::Machine& machine, Kernel& kernel, const RowKernel& rows);

}  // namespace podsim::sw
