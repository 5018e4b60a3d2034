// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/rows/row_code.h"

namespace podsim::sw::codegen::families::rows {

/// Sets program and tile_op of `kernel`. Tiles are whole rows, read once. All passes of `rows` read the tile in VMEM,
/// and the last one writes. Throws base::InputError if VMEM cannot hold eight rows four times (double-buffered input
/// and output).
void build_resident_rows(const TargetMachine& machine, Kernel& kernel, const RowKernel& rows);

}  // namespace podsim::sw::codegen::families::rows
