// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/rows/row_code.h"

namespace podsim::sw::codegen::families::rows {

/// Sets program and tile_op of `kernel`. The passes of `rows` stream over HBM, one after the other. Statistics stay in
/// VMEM, each in all lanes of its row, which is the form of cross-lane results and of vector operands. Parameters are
/// loaded once, at the start. If the statistics of all rows do not fit, the rows are divided into parts, and all passes
/// run for each part in turn.
void build_streamed_rows(const TargetMachine& machine, Kernel& kernel, const RowKernel& rows);

}  // namespace podsim::sw::codegen::families::rows
