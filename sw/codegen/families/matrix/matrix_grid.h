// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/machine.h"
#include "sw/codegen/builder/matrix_pass.h"

namespace podsim::sw::codegen::families::matrix {

/// Cycles to load a weight tile into a matrix unit; transposing takes as long again as loading.
std::int64_t weight_cycles(const hw::Machine& machine, bool transposed);

/// Distribution of a block over the matrix units, and the number of LHS registers that stream past a weight tile.
struct MatrixPassGrid {
  builder::MatrixUnitGrid grid;
  int registers = 1;
  std::int64_t cycles = 0;  ///< cycles of the pass per contraction tile, by the formula below
};

/// Maximum number of LHS registers per step of a pass, so that its body is only a few hundred bundles.
inline constexpr int max_registers = 48;

/// Returns the grid and the number of registers with the fewest cycles for a block of `rows` LHS registers and `lanes`
/// columns of 128. Ties go to fewer row units, then to fewer registers:
///
///   cycles = ceil(rows / (registers * row_units)) * ceil(lanes / column_units) * max(8 * registers, weight cycles)
MatrixPassGrid choose_grid(const hw::Machine& machine, std::int64_t rows, std::int64_t lanes,
                           std::int64_t weight_cycles);

}  // namespace podsim::sw::codegen::families::matrix
