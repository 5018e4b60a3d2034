// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/kernels/block.h"
#include "sw/kernels/operation.h"
#include "sw/kernels/register_set.h"

/// Operations and blocks written by hand, for tests of what schedules them.
namespace podsim::sw::hand {

inline Register s(int id) { return {RegisterClass::scalar, id}; }
inline Register v(int id) { return {RegisterClass::vector, id}; }
inline Register p(int id) { return {RegisterClass::predicate, id}; }
inline Operand of(Register reg) { return Operand::of(reg); }
inline Operand of(std::int32_t literal) { return Operand::of(literal); }

inline Operation op(hw::isa::Opcode opcode, Register d, Operand x, Operand y) {
  Operation operation;
  operation.opcode = opcode;
  operation.destination = d;
  operation.x = x;
  operation.y = y;
  return operation;
}
inline Operation add(Register d, Register x, Operand y) { return op(hw::isa::Opcode::v_add_f32, d, of(x), y); }
inline Operation s_add(Register d, Register x, std::int32_t y) { return op(hw::isa::Opcode::s_add, d, of(x), of(y)); }

inline Operation memory(hw::isa::Opcode opcode, Register value, Register base, std::int32_t offset, int buffer,
                        std::int32_t stride) {
  Operation operation = op(opcode, value, of(base), of(offset));
  operation.z = of(stride);
  operation.buffer = buffer;
  return operation;
}
inline Operation load(Register d, Register base, std::int32_t offset = 0, int buffer = 0, std::int32_t stride = 1) {
  return memory(hw::isa::Opcode::v_load, d, base, offset, buffer, stride);
}
inline Operation store(Register value, Register base, std::int32_t offset = 0, int buffer = 0,
                       std::int32_t stride = 1) {
  return memory(hw::isa::Opcode::v_store, value, base, offset, buffer, stride);
}
inline Operation push(hw::isa::Opcode opcode, Register x, int unit = 0) {
  Operation operation = op(opcode, v(0), of(x), of(0));
  operation.unit = std::uint8_t(unit);
  return operation;
}
inline Operation pop(Register d, int unit) {
  Operation operation = op(hw::isa::Opcode::pop, d, of(0), of(0));
  operation.unit = std::uint8_t(unit);
  return operation;
}
inline Operation under(Register predicate, Operation operation) {
  operation.predicate = predicate;
  return operation;
}

inline RegisterSet set(const std::vector<Register>& registers) {
  RegisterSet result;
  for (Register reg : registers) result.insert(reg);
  return result;
}

/// One operation a bundle, in order.
inline Block block(const std::vector<Operation>& operations, int target = -1) {
  Block result;
  result.operations = operations;
  result.rows.resize(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) result.rows[i].operation[0] = int(i);
  result.target = target;
  return result;
}

}  // namespace podsim::sw::hand
