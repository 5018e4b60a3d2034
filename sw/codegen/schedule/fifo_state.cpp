// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/fifo_state.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;

namespace {
/// Number of result registers of a transpose.
constexpr int transposed_registers = 16;
}  // namespace

int results_of(const registers::Operation& operation) {
  const int unit = registers::unit_of(operation);
  if (unit < 0) return 0;
  if (registers::is_pop(operation)) return -1;
  if (unit < hw::isa::max_matrix_units) return operation.opcode == hw::isa::Opcode::mxu_lhs ? 1 : 0;
  if (operation.opcode == hw::isa::Opcode::x_transpose) return 0;
  return operation.opcode == hw::isa::Opcode::x_transpose_end ? transposed_registers : 1;
}

}  // namespace podsim::sw::codegen::schedule
