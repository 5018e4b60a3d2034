// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matrix_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/diagnostic.h"
#include "hw/isa/bundle.h"

namespace podsim::sw::codegen::families::matrix {

using base::divide_round_up;

int matrix_units(const hw::Machine& machine) {
  if (machine.mxu.count > hw::isa::max_matrix_units) {
    throw base::InputError(fmt::format("a bundle names up to {} matrix units; 'mxu.count' of {} is {}",
                                       hw::isa::max_matrix_units, machine.name, machine.mxu.count));
  }
  return int(machine.mxu.count);
}

std::int64_t weight_cycles(const hw::Machine& machine, bool transposed) {
  return machine.mxu.weight_load.value() * (transposed ? 2 : 1);
}

MatrixPassGrid choose_grid(const hw::Machine& machine, std::int64_t rows, std::int64_t lanes,
                           std::int64_t weight_cycles) {
  std::optional<MatrixPassGrid> best;
  const int units = matrix_units(machine);
  for (int row_units = 1; row_units <= units; ++row_units) {
    if (units % row_units != 0) continue;
    const builder::MatrixUnitGrid grid{row_units, units / row_units};
    for (int registers = 1; registers <= most_registers; ++registers) {
      const std::int64_t steps = base::divide_round_up(rows, std::int64_t(registers) * row_units) *
                                 base::divide_round_up(lanes, std::int64_t(grid.column_units));
      const std::int64_t cycles = steps * std::max<std::int64_t>(8 * registers, weight_cycles);
      if (!best || cycles < best->cycles) best = MatrixPassGrid{grid, registers, cycles};
    }
  }
  return *best;
}

}  // namespace podsim::sw::codegen::families::matrix
