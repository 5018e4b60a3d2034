// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/row_code.h"

namespace podsim::sw {

/// Fills in program and tile_op of `kernel`: every pass of `rows` goes over HBM, one after the other. Statistics stay
/// in VMEM, each in all lanes of its row, as the cross-lane unit gives it and vector operations take it; parameters are
/// there from the start. An array with more rows than that leaves room for is cut into parts, all passes for each.
void build_streamed_rows(const hw::Machine& machine, Kernel& kernel, const RowKernel& rows);

}  // namespace podsim::sw
