// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/fifo_state.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {
/// A transpose gives that many registers.
constexpr int transposed_registers = 16;
}  // namespace

int results_of(const Operation& operation) {
  const int unit = unit_of(operation);
  if (unit < 0) return 0;
  if (is_pop(operation)) return -1;
  if (unit < hw::isa::max_matrix_units) return operation.opcode == Opcode::mxu_lhs ? 1 : 0;
  if (operation.opcode == Opcode::x_transpose) return 0;
  return operation.opcode == Opcode::x_transpose_end ? transposed_registers : 1;
}

}  // namespace podsim::sw
