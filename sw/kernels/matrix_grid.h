// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/machine.h"
#include "sw/kernels/matrix_pass.h"

namespace podsim::sw {

/// How many a kernel can use, all of them; InputError of a machine with more than a bundle can name.
int matrix_units(const hw::Machine& machine);

/// Cycles until the next weight tile of a matrix unit is in: transposing takes as long again as loading.
std::int64_t weight_cycles(const hw::Machine& machine, bool transposed);

/// How the units share a block, and how many LHS registers they stream past a weight tile.
struct MatrixPassGrid {
  MatrixUnitGrid grid;
  int registers = 1;
  std::int64_t cycles = 0;  ///< of the pass, by the formula below, per contraction tile
};

/// Most LHS registers that one step of a pass may have, so that its body stays a few hundred bundles.
inline constexpr int most_registers = 48;

/// The grid and the number of registers with the fewest cycles for a block of `rows` LHS registers and `lanes` columns
/// of 128; of equals the one with the fewest registers:
///
///   cycles = ceil(rows / (registers * row_units)) * ceil(lanes / column_units) * max(8 * registers, weight cycles)
MatrixPassGrid choose_grid(const hw::Machine& machine, std::int64_t rows, std::int64_t lanes,
                           std::int64_t weight_cycles);

}  // namespace podsim::sw
