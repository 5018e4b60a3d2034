// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/element_type.h"
#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::fusion {

/// The elements of a value that are in one register: the same word in all of them, a register of words, or a mask for
/// pred. bf16 is held as f32.
struct Value {
  enum class Kind { literal, words, mask };
  Kind kind = Kind::literal;
  std::int32_t bits = 0;  ///< of a literal; 0 or 1 for pred
  registers::VectorReg words = {};
  registers::MaskReg mask = {};

  static Value literal(std::int32_t bits) { return {Kind::literal, bits}; }
  static Value of(registers::VectorReg words) { return {Kind::words, 0, words}; }
  static Value of(registers::MaskReg mask) { return {Kind::mask, 0, {}, mask}; }
};

/// How the elements of a type are held: as floats, as whole words, or as a mask.
enum class Held { floats, integers, mask, not_at_all };
Held held(hlo::ElementType type);

/// The word that holds a number of the type.
std::int32_t bits_of(hlo::ElementType type, double number);

/// The value in a register, or as an operand.
registers::VectorReg in_vector(builder::KernelBuilder& builder, const Value& value);
registers::VectorOperand as_operand(const Value& value);
/// A pred value in a mask register.
registers::MaskReg in_mask(builder::KernelBuilder& builder, const Value& value);

}  // namespace podsim::sw::codegen::fusion
