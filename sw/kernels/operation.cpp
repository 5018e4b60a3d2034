// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/operation.h"

namespace podsim::sw {

using hw::isa::Opcode;
using hw::isa::OperandKind;
using hw::isa::SlotKind;

namespace {

bool in(Opcode opcode, Opcode first, Opcode last) { return opcode >= first && opcode <= last; }

/// Whether lanes outside of the mask keep the destination's value.
bool merges(const Operation& operation) {
  const hw::isa::OpcodeInfo& row = operation.info();
  return row.slot == SlotKind::vector && row.masked && row.destination == OperandKind::vector &&
         operation.opcode != Opcode::v_select && !operation.mask.constant() && !operation.fresh;
}

}  // namespace

RegisterReads::RegisterReads(const Operation& operation) {
  const hw::isa::OpcodeInfo& row = operation.info();
  if (row.x != OperandKind::none && !operation.x.literal) add(operation.x.reg);
  if (row.y != OperandKind::none && !operation.y.literal) add(operation.y.reg);
  if (row.z != OperandKind::none && !operation.z.literal) add(operation.z.reg);
  if (row.masked) add(operation.mask);
  add(operation.predicate);
  if (row.reads_destination || (row.destination != OperandKind::none && !overwrites(operation))) {
    add(operation.destination);
  }
}

void RegisterReads::add(Register reg) {
  if (!reg.constant()) reads_[std::size_t(count_++)] = reg;
}

std::optional<Register> written_register(const Operation& operation) {
  const hw::isa::OpcodeInfo& row = operation.info();
  if (operation.opcode == Opcode::s_loop) return operation.x.reg;
  if (row.destination == OperandKind::none || row.reads_destination) return std::nullopt;
  return operation.destination;
}

bool overwrites(const Operation& operation) {
  return written_register(operation).has_value() && !operation.conditional() && !merges(operation);
}

int unit_of(const Operation& operation) {
  const Opcode opcode = operation.opcode;
  if (opcode == Opcode::pop || in(opcode, Opcode::mxu_lhs, Opcode::mxu_latch)) return operation.unit;
  if (in(opcode, Opcode::x_rotate_lanes, Opcode::x_transpose_end)) return hw::isa::cross_lane_unit;
  if (in(opcode, Opcode::e_exp, Opcode::e_recip)) return hw::isa::transcendental_unit;
  return -1;
}

bool is_pop(const Operation& operation) { return operation.opcode == Opcode::pop; }
bool is_push(const Operation& operation) { return unit_of(operation) >= 0 && !is_pop(operation); }

}  // namespace podsim::sw
