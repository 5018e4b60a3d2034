// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include "hw/isa/encoding.h"

/// Arbitrary legal bundles: every opcode, operand and literal form can come up, with more literals than fit offered.
namespace podsim::hw::isa {

inline std::int32_t random_literal() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return *rc::gen::element(0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 256, 512, 1024, -1);
    case 1:
      return *rc::gen::inRange(-32768, 32768);
    case 2:
      return std::int32_t(std::uint32_t(*rc::gen::inRange(0, 65536)) << 16);
    case 3:  // few enough that literals meet
      return *rc::gen::element(0x12345678, 0x5678, 0x12340000, 0x56781234, -559038737);
    default:
      return *rc::gen::resize(100, rc::gen::arbitrary<std::int32_t>());
  }
}

inline Value random_operand(OperandKind kind) {
  auto reg = [](int count) { return Value::reg(*rc::gen::inRange(0, count)); };
  switch (kind) {
    case OperandKind::none:
      return {};
    case OperandKind::scalar:
      return reg(scalar_registers);
    case OperandKind::vector:
      return reg(vector_registers);
    case OperandKind::mask:
      return reg(mask_registers);
    case OperandKind::predicate:
      return reg(predicate_registers);
    case OperandKind::scalar_or_literal:
    case OperandKind::vector_or_literal:
      return *rc::gen::inRange(0, 2) ? Value::of(random_literal()) : reg(scalar_registers);
    case OperandKind::target:
    case OperandKind::text:
      return Value::of(*rc::gen::inRange(0, 70000));
  }
  return {};
}

inline Instruction random_instruction(Opcode opcode) {
  const OpcodeInfo& row = info(opcode);
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.predicate = {std::uint8_t(*rc::gen::inRange(0, predicate_registers)), *rc::gen::inRange(0, 3) == 0};
  instruction.destination = std::uint8_t(random_operand(row.destination).value);
  instruction.x = random_operand(row.x);
  instruction.y = random_operand(row.y);
  instruction.z = random_operand(row.z);
  if (row.masked) instruction.mask = std::uint8_t(*rc::gen::inRange(0, mask_registers));
  if (row.takes_unit) {
    instruction.unit = std::uint8_t(*rc::gen::inRange(0, opcode == Opcode::pop ? popped_units : max_matrix_units));
  }
  return instruction;
}

inline Opcode random_opcode(SlotKind kind) {
  std::vector<Opcode> choices;
  for (const OpcodeInfo& row : opcode_table()) {
    if (row.slot == kind) choices.push_back(row.opcode);
  }
  return *rc::gen::elementOf(choices);
}

/// Slots are filled one by one; operations that would make the bundle illegal are left out.
inline Bundle random_bundle() {
  Bundle bundle;
  for (int s = 0; s < slots; ++s) {
    if (*rc::gen::inRange(0, 4) == 0) continue;
    bundle[Slot(s)] = random_instruction(random_opcode(kind(Slot(s))));
    if (problem(bundle)) bundle[Slot(s)].reset();
  }
  return bundle;
}

}  // namespace podsim::hw::isa
