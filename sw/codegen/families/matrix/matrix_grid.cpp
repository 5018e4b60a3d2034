// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matrix_grid.h"

#include <algorithm>
#include <optional>

#include "hw/isa/fixed_sizes.h"

namespace podsim::sw::codegen::families::matrix {

using base::divide_round_up;

std::int64_t weight_cycles(const hw::Machine& machine, bool transposed) {
  return machine.mxu.weight_load().value() * (transposed ? 2 : 1);
}

MatrixPassGrid choose_grid(const hw::Machine& machine, std::int64_t rows, std::int64_t lanes,
                           std::int64_t weight_cycles) {
  std::optional<MatrixPassGrid> best;
  const int units = hw::isa::matrix_units(machine);
  for (int row_units = 1; row_units <= units; ++row_units) {
    if (units % row_units != 0) continue;
    const builder::MatrixUnitGrid grid{row_units, units / row_units};
    for (int registers = 1; registers <= max_registers; ++registers) {
      const std::int64_t steps = base::divide_round_up(rows, std::int64_t(registers) * row_units) *
                                 base::divide_round_up(lanes, std::int64_t(grid.column_units));
      const std::int64_t cycles = steps * std::max<std::int64_t>(builder::register_rows * registers, weight_cycles);
      if (!best || cycles < best->cycles) best = MatrixPassGrid{grid, registers, cycles};
    }
  }
  return *best;
}

}  // namespace podsim::sw::codegen::families::matrix
