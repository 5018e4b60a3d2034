// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/value.h"

#include <bit>

#include "hlo/literal.h"

namespace podsim::sw::codegen::fusion {

Held held(hlo::ElementType type) {
  switch (type) {
    case hlo::ElementType::f32:
    case hlo::ElementType::bf16:
      return Held::floats;
    case hlo::ElementType::s32:
    case hlo::ElementType::u32:
      return Held::integers;
    case hlo::ElementType::pred:
      return Held::mask;
    default:
      return Held::not_at_all;
  }
}

std::int32_t bits_of(hlo::ElementType type, double number) {
  const double rounded = hlo::round_to(type, number);
  if (held(type) == Held::floats) return std::bit_cast<std::int32_t>(float(rounded));
  return std::int32_t(std::uint32_t(std::int64_t(rounded)));
}

registers::VectorReg in_vector(builder::KernelBuilder& builder, const Value& value) {
  if (value.kind == Value::Kind::words) return value.words;
  return builder.unary(hw::isa::Opcode::v_mov, registers::VectorOperand::bits(value.bits));
}

registers::VectorOperand as_operand(const Value& value) {
  return value.kind == Value::Kind::words ? registers::VectorOperand(value.words)
                                          : registers::VectorOperand::bits(value.bits);
}

registers::MaskReg in_mask(builder::KernelBuilder& builder, const Value& value) {
  if (value.kind == Value::Kind::mask) return value.mask;
  const registers::MaskReg mask = builder.mask();
  builder.assign_splat(mask, value.bits);
  return mask;
}

}  // namespace podsim::sw::codegen::fusion
