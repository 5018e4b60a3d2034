// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/codegen/registers/block.h"
#include "sw/codegen/registers/operation.h"
#include "sw/codegen/registers/register_set.h"

/// Operations and blocks written by hand, for tests of the schedulers.
namespace podsim::sw::codegen::hand {

inline registers::Register s(int id) { return {registers::RegisterClass::scalar, id}; }
inline registers::Register v(int id) { return {registers::RegisterClass::vector, id}; }
inline registers::Register p(int id) { return {registers::RegisterClass::predicate, id}; }
inline registers::Operand of(registers::Register reg) { return registers::Operand::of(reg); }
inline registers::Operand of(std::int32_t literal) { return registers::Operand::of(literal); }

inline registers::Operation op(hw::isa::Opcode opcode, registers::Register d, registers::Operand x,
                               registers::Operand y) {
  registers::Operation operation;
  operation.opcode = opcode;
  operation.destination = d;
  operation.x = x;
  operation.y = y;
  return operation;
}
inline registers::Operation add(registers::Register d, registers::Register x, registers::Operand y) {
  return op(hw::isa::Opcode::v_add_f32, d, of(x), y);
}
inline registers::Operation s_add(registers::Register d, registers::Register x, std::int32_t y) {
  return op(hw::isa::Opcode::s_add, d, of(x), of(y));
}

inline registers::Operation memory(hw::isa::Opcode opcode, registers::Register value, registers::Register base,
                                   std::int32_t offset, int buffer, std::int32_t stride) {
  registers::Operation operation = op(opcode, value, of(base), of(offset));
  operation.z = of(stride);
  operation.buffer = buffer;
  return operation;
}
inline registers::Operation load(registers::Register d, registers::Register base, std::int32_t offset = 0,
                                 int buffer = 0, std::int32_t stride = 1) {
  return memory(hw::isa::Opcode::v_load, d, base, offset, buffer, stride);
}
inline registers::Operation store(registers::Register value, registers::Register base, std::int32_t offset = 0,
                                  int buffer = 0, std::int32_t stride = 1) {
  return memory(hw::isa::Opcode::v_store, value, base, offset, buffer, stride);
}
inline registers::Operation push(hw::isa::Opcode opcode, registers::Register x, int unit = 0) {
  registers::Operation operation = op(opcode, v(0), of(x), of(0));
  operation.unit = std::uint8_t(unit);
  return operation;
}
inline registers::Operation pop(registers::Register d, int unit) {
  registers::Operation operation = op(hw::isa::Opcode::pop, d, of(0), of(0));
  operation.unit = std::uint8_t(unit);
  return operation;
}
inline registers::Operation under(registers::Register predicate, registers::Operation operation) {
  operation.predicate = predicate;
  return operation;
}

inline registers::RegisterSet set(const std::vector<registers::Register>& registers) {
  registers::RegisterSet result;
  for (registers::Register reg : registers) result.insert(reg);
  return result;
}

/// One operation a bundle, in order.
inline registers::Block block(const std::vector<registers::Operation>& operations, int target = -1) {
  registers::Block result;
  result.operations = operations;
  result.rows.resize(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) result.rows[i].operation[0] = int(i);
  result.target = target;
  return result;
}

}  // namespace podsim::sw::codegen::hand
