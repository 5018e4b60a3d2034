// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/registers/operation.h"

namespace podsim::sw::codegen::registers {

using hw::isa::Opcode;
using hw::isa::OperandKind;
using hw::isa::SlotKind;

namespace {

bool in(hw::isa::Opcode opcode, hw::isa::Opcode first, hw::isa::Opcode last) {
  return opcode >= first && opcode <= last;
}

/// Returns true if lanes outside the mask keep the destination's old value.
bool merges(const Operation& operation) {
  const hw::isa::OpcodeInfo& row = operation.info();
  return row.slot == hw::isa::SlotKind::vector && row.masked && row.destination == hw::isa::OperandKind::vector &&
         operation.opcode != hw::isa::Opcode::v_select && !operation.mask.constant() && !operation.fresh;
}

}  // namespace

RegisterReads::RegisterReads(const Operation& operation) {
  const hw::isa::OpcodeInfo& row = operation.info();
  if (row.x != hw::isa::OperandKind::none && !operation.x.literal) add(operation.x.reg);
  if (row.y != hw::isa::OperandKind::none && !operation.y.literal) add(operation.y.reg);
  if (row.z != hw::isa::OperandKind::none && !operation.z.literal) add(operation.z.reg);
  if (row.masked) add(operation.mask);
  add(operation.predicate);
  if (row.reads_destination || (row.destination != hw::isa::OperandKind::none && !overwrites(operation))) {
    add(operation.destination);
  }
}

void RegisterReads::add(Register reg) {
  if (!reg.constant()) reads_[std::size_t(count_++)] = reg;
}

std::optional<Register> written_register(const Operation& operation) {
  const hw::isa::OpcodeInfo& row = operation.info();
  if (operation.opcode == hw::isa::Opcode::s_loop) return operation.x.reg;
  if (row.destination == hw::isa::OperandKind::none || row.reads_destination) return std::nullopt;
  return operation.destination;
}

bool overwrites(const Operation& operation) {
  return written_register(operation).has_value() && !operation.conditional() && !merges(operation);
}

int unit_of(const Operation& operation) {
  const hw::isa::Opcode opcode = operation.opcode;
  if (opcode == hw::isa::Opcode::pop || in(opcode, hw::isa::Opcode::mxu_lhs, hw::isa::Opcode::mxu_latch))
    return operation.unit;
  if (in(opcode, hw::isa::Opcode::x_rotate_lanes, hw::isa::Opcode::x_transpose_end)) return hw::isa::cross_lane_unit;
  if (in(opcode, hw::isa::Opcode::e_exp, hw::isa::Opcode::e_recip)) return hw::isa::transcendental_unit;
  if (opcode == hw::isa::Opcode::push_scalar || opcode == hw::isa::Opcode::s_pop) return hw::isa::scalar_path;
  return -1;
}

bool is_pop(const Operation& operation) {
  return operation.opcode == hw::isa::Opcode::pop || operation.opcode == hw::isa::Opcode::s_pop;
}
bool is_push(const Operation& operation) { return unit_of(operation) >= 0 && !is_pop(operation); }

}  // namespace podsim::sw::codegen::registers
