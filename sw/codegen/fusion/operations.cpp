// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/operations.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>
#include <string>

namespace podsim::sw::codegen::fusion {

namespace {

using Isa = hw::isa::Opcode;
using Builder = builder::KernelBuilder;
using Reg = registers::VectorReg;
using Operands = std::span<const Value>;

constexpr std::int32_t sign_bit = std::int32_t(0x80000000), magnitude_bits = 0x7fffffff;

Value binary(Builder& b, Isa opcode, const Value& x, const Value& y) {
  return Value::of(b.op(opcode, in_vector(b, x), as_operand(y)));
}
/// The same for an opcode whose operands may be exchanged: a literal has to be the second.
Value symmetric(Builder& b, Isa opcode, const Value& x, const Value& y) {
  return x.kind == Value::Kind::literal ? binary(b, opcode, y, x) : binary(b, opcode, x, y);
}
Reg with_bits(Builder& b, Isa opcode, Reg x, std::int32_t bits) {
  return b.op(opcode, x, registers::VectorOperand::bits(bits));
}
Value function(Builder& b, Isa opcode, const Value& x) { return Value::of(b.transcendental(opcode, as_operand(x))); }

registers::MaskReg inverted(Builder& b, registers::MaskReg mask) {
  return b.mask_op(Isa::m_xor, registers::MaskReg{}, mask);
}

Value chosen(Builder& b, registers::MaskReg mask, const Value& yes, const Value& no) {
  return Value::of(b.op(Isa::v_select, in_vector(b, yes), as_operand(no), mask));
}

/// x less than y, or equal to it: exchanged operands give the other two comparisons.
Value ordered(Builder& b, Isa opcode, const Value& x, const Value& y) {
  return Value::of(b.compare(opcode, in_vector(b, x), as_operand(y)));
}

Value compare_words(Builder& b, hlo::ComparisonDirection direction, const std::array<Isa, 4>& opcodes, const Value& x,
                    const Value& y) {
  const auto [eq, ne, lt, le] = opcodes;
  switch (direction) {
    case hlo::ComparisonDirection::eq:
      return ordered(b, eq, x, y);
    case hlo::ComparisonDirection::ne:
      return ordered(b, ne, x, y);
    case hlo::ComparisonDirection::lt:
      return ordered(b, lt, x, y);
    case hlo::ComparisonDirection::le:
      return ordered(b, le, x, y);
    case hlo::ComparisonDirection::gt:
      return ordered(b, lt, y, x);
    case hlo::ComparisonDirection::ge:
      return ordered(b, le, y, x);
  }
  throw std::logic_error("no such comparison");
}

Value compare_unsigned(Builder& b, hlo::ComparisonDirection direction, const Value& x, const Value& y) {
  const auto not_less = [&](const Value& small, const Value& large) {
    return Value::of(inverted(b, ordered(b, Isa::v_ltu_s32, small, large).mask));
  };
  switch (direction) {
    case hlo::ComparisonDirection::le:
      return not_less(y, x);
    case hlo::ComparisonDirection::ge:
      return not_less(x, y);
    default:
      return compare_words(b, direction, {Isa::v_eq_s32, Isa::v_ne_s32, Isa::v_ltu_s32, Isa::v_ltu_s32}, x, y);
  }
}

/// 1 + tanh, exp and products below are on floats.
Value logistic(Builder& b, const Value& x) {
  const Reg decay = b.transcendental(Isa::e_exp, b.op(Isa::v_mul_f32, in_vector(b, x), -1.0F));
  return Value::of(b.transcendental(Isa::e_recip, b.op(Isa::v_add_f32, decay, 1.0F)));
}

Value exponential_minus_one(Builder& b, const Value& operand) {
  const Reg x = in_vector(b, operand);
  const Reg exponential = b.transcendental(Isa::e_exp, x);
  const Reg half = b.transcendental(Isa::e_tanh, b.op(Isa::v_mul_f32, x, 0.5F));
  const Reg near = b.op(Isa::v_mul_f32, half, b.op(Isa::v_add_f32, exponential, 1.0F));
  const registers::MaskReg small = b.compare(Isa::v_lt_f32, with_bits(b, Isa::v_and, x, magnitude_bits), 0.5F);
  return chosen(b, small, Value::of(near), Value::of(b.op(Isa::v_add_f32, exponential, -1.0F)));
}

/// log u, u = 1 + x, plus what the rounding of u lost: c = x - (u - 1), which is exact for |x| < 1/2. There log(u + c)
/// = log u + c within 2^-24 |x| 1.3 + c^2. The zero keeps its sign.
Value log_plus_one(Builder& b, const Value& operand) {
  const Reg x = in_vector(b, operand);
  const Reg u = b.op(Isa::v_add_f32, x, 1.0F);
  const Reg far = b.transcendental(Isa::e_log, u);
  const Reg lost = b.op(Isa::v_sub_f32, x, b.op(Isa::v_add_f32, u, -1.0F));
  const Reg near = b.op(Isa::v_or, b.op(Isa::v_add_f32, far, lost), with_bits(b, Isa::v_and, x, sign_bit));
  const registers::MaskReg small = b.compare(Isa::v_lt_f32, with_bits(b, Isa::v_and, x, magnitude_bits), 0.5F);
  return chosen(b, small, Value::of(near), Value::of(far));
}

/// exp(y log x), for x > 0 other than 1.
Value power(Builder& b, const Value& x, const Value& y) {
  const Reg logarithm = b.transcendental(Isa::e_log, as_operand(x));
  return Value::of(b.transcendental(Isa::e_exp, b.op(Isa::v_mul_f32, logarithm, as_operand(y))));
}

/// -1, 0 or 1, the zero with its sign, NaN of NaN.
Value sign(Builder& b, const Value& operand) {
  const Reg x = in_vector(b, operand);
  const Reg one = with_bits(b, Isa::v_or, with_bits(b, Isa::v_and, x, sign_bit), bits_of(hlo::ElementType::f32, 1));
  const registers::MaskReg other =
      b.mask_op(Isa::m_or, b.compare(Isa::v_eq_f32, x, 0.0F), b.compare(Isa::v_ne_f32, x, x));
  return chosen(b, other, operand, Value::of(one));
}

Value converted(Builder& b, hlo::ElementType from, hlo::ElementType to, const Value& x) {
  if (held(from) == Held::mask) {
    if (held(to) == Held::mask) return x;
    return chosen(b, in_mask(b, x), Value::literal(bits_of(to, 1)), Value::literal(0));
  }
  if (held(to) == Held::mask) {
    const Isa opcode = held(from) == Held::floats ? Isa::v_ne_f32 : Isa::v_ne_s32;
    return Value::of(b.compare(opcode, in_vector(b, x), registers::VectorOperand::bits(0)));
  }
  if (held(from) == held(to)) return x;
  return Value::of(b.unary(held(to) == Held::floats ? Isa::v_cvt_s32_f32 : Isa::v_cvt_f32_s32, as_operand(x)));
}

Value on_masks(Builder& b, Isa opcode, Operands x) {
  return Value::of(b.mask_op(opcode, in_mask(b, x[0]), in_mask(b, x[1])));
}

Value on_floats(Builder& b, hlo::Opcode opcode, Operands x) {
  switch (opcode) {
    case hlo::Opcode::add:
      return symmetric(b, Isa::v_add_f32, x[0], x[1]);
    case hlo::Opcode::subtract:
      return binary(b, Isa::v_sub_f32, x[0], x[1]);
    case hlo::Opcode::multiply:
      return symmetric(b, Isa::v_mul_f32, x[0], x[1]);
    case hlo::Opcode::maximum:
      return symmetric(b, Isa::v_max_f32, x[0], x[1]);
    case hlo::Opcode::minimum:
      return symmetric(b, Isa::v_min_f32, x[0], x[1]);
    case hlo::Opcode::divide:
      return symmetric(b, Isa::v_mul_f32, x[0], function(b, Isa::e_recip, x[1]));
    case hlo::Opcode::power:
      return power(b, x[0], x[1]);
    case hlo::Opcode::negate:
      return Value::of(with_bits(b, Isa::v_xor, in_vector(b, x[0]), sign_bit));
    case hlo::Opcode::abs:
      return Value::of(with_bits(b, Isa::v_and, in_vector(b, x[0]), magnitude_bits));
    case hlo::Opcode::sign:
      return sign(b, x[0]);
    case hlo::Opcode::exponential:
      return function(b, Isa::e_exp, x[0]);
    case hlo::Opcode::log:
      return function(b, Isa::e_log, x[0]);
    case hlo::Opcode::tanh:
      return function(b, Isa::e_tanh, x[0]);
    case hlo::Opcode::sqrt:
      return function(b, Isa::e_sqrt, x[0]);
    case hlo::Opcode::rsqrt:
      return function(b, Isa::e_rsqrt, x[0]);
    case hlo::Opcode::logistic:
      return logistic(b, x[0]);
    case hlo::Opcode::exponential_minus_one:
      return exponential_minus_one(b, x[0]);
    case hlo::Opcode::log_plus_one:
      return log_plus_one(b, x[0]);
    default:
      throw std::logic_error("no code for " + std::string(hlo::to_string(opcode)));
  }
}

struct WordOperation {
  hlo::Opcode opcode;
  Isa operation;
  bool is_signed = false;  ///< it is another operation on unsigned words, which the machine does not have
};
/// Binary opcodes on whole numbers.
constexpr std::array word_operations{
    WordOperation{hlo::Opcode::add, Isa::v_add_s32},
    WordOperation{hlo::Opcode::subtract, Isa::v_sub_s32},
    WordOperation{hlo::Opcode::multiply, Isa::v_mul_s32},
    WordOperation{hlo::Opcode::logical_and, Isa::v_and},
    WordOperation{hlo::Opcode::logical_or, Isa::v_or},
    WordOperation{hlo::Opcode::logical_xor, Isa::v_xor},
    WordOperation{hlo::Opcode::maximum, Isa::v_max_s32, true},
    WordOperation{hlo::Opcode::minimum, Isa::v_min_s32, true},
};

const WordOperation* word_operation(hlo::Opcode opcode) {
  const auto* found = std::ranges::find(word_operations, opcode, &WordOperation::opcode);
  return found == word_operations.end() ? nullptr : found;
}

Value on_integers(Builder& b, hlo::Opcode opcode, Operands x) {
  if (opcode == hlo::Opcode::logical_not) return Value::of(with_bits(b, Isa::v_xor, in_vector(b, x[0]), -1));
  return binary(b, word_operation(opcode)->operation, x[0], x[1]);
}

Value compared(Builder& b, const hlo::Instruction& instruction, hlo::ElementType type, Operands x) {
  if (held(type) == Held::mask) {
    const Value differ = on_masks(b, Isa::m_xor, x);
    return instruction.comparison == hlo::ComparisonDirection::ne ? differ : Value::of(inverted(b, differ.mask));
  }
  if (held(type) == Held::floats) {
    return compare_words(b, instruction.comparison, {Isa::v_eq_f32, Isa::v_ne_f32, Isa::v_lt_f32, Isa::v_le_f32}, x[0],
                         x[1]);
  }
  if (type == hlo::ElementType::u32) return compare_unsigned(b, instruction.comparison, x[0], x[1]);
  return compare_words(b, instruction.comparison, {Isa::v_eq_s32, Isa::v_ne_s32, Isa::v_lt_s32, Isa::v_le_s32}, x[0],
                       x[1]);
}

Value selected(Builder& b, hlo::ElementType type, Operands x) {
  const registers::MaskReg mask = in_mask(b, x[0]);
  if (held(type) != Held::mask) return chosen(b, mask, x[1], x[2]);
  const registers::MaskReg yes = b.mask_op(Isa::m_and, in_mask(b, x[1]), mask);
  return Value::of(b.mask_op(Isa::m_or, yes, b.mask_op(Isa::m_andn, in_mask(b, x[2]), mask)));
}

Value clamped(Builder& b, hlo::ElementType type, Operands x) {
  const bool floats = held(type) == Held::floats;
  const Value above = symmetric(b, floats ? Isa::v_max_f32 : Isa::v_max_s32, x[1], x[0]);
  return symmetric(b, floats ? Isa::v_min_f32 : Isa::v_min_s32, above, x[2]);
}

Value on_predicates(Builder& b, hlo::Opcode opcode, Operands x) {
  switch (opcode) {
    case hlo::Opcode::logical_and:
      return on_masks(b, Isa::m_and, x);
    case hlo::Opcode::logical_or:
      return on_masks(b, Isa::m_or, x);
    case hlo::Opcode::logical_xor:
      return on_masks(b, Isa::m_xor, x);
    default:
      return Value::of(inverted(b, in_mask(b, x[0])));
  }
}

Value is_finite(Builder& b, const Value& x) {
  constexpr std::int32_t infinity = 0x7f800000;
  const Reg size = with_bits(b, Isa::v_and, in_vector(b, x), magnitude_bits);
  return Value::of(b.compare(Isa::v_lt_s32, size, registers::VectorOperand::bits(infinity)));
}

struct FloatOperation {
  hlo::Opcode opcode;
  double steps = 1;
};
/// Opcodes of on_floats(), and their rounding steps: a push into the transcendental unit 5, and what is around it.
constexpr std::array float_operations{
    FloatOperation{hlo::Opcode::add},
    FloatOperation{hlo::Opcode::subtract},
    FloatOperation{hlo::Opcode::multiply},
    FloatOperation{hlo::Opcode::maximum},
    FloatOperation{hlo::Opcode::minimum},
    FloatOperation{hlo::Opcode::negate},
    FloatOperation{hlo::Opcode::abs},
    FloatOperation{hlo::Opcode::sign},
    FloatOperation{hlo::Opcode::divide, 6},
    FloatOperation{hlo::Opcode::power, 8},
    FloatOperation{hlo::Opcode::exponential, 5},
    FloatOperation{hlo::Opcode::log, 5},
    FloatOperation{hlo::Opcode::tanh, 5},
    FloatOperation{hlo::Opcode::sqrt, 5},
    FloatOperation{hlo::Opcode::rsqrt, 5},
    FloatOperation{hlo::Opcode::logistic, 12},
    FloatOperation{hlo::Opcode::exponential_minus_one, 24},
    FloatOperation{hlo::Opcode::log_plus_one, 13},
};

const FloatOperation* float_operation(hlo::Opcode opcode) {
  const auto* found = std::ranges::find(float_operations, opcode, &FloatOperation::opcode);
  return found == float_operations.end() ? nullptr : found;
}

bool has_word_operation(hlo::Opcode opcode, hlo::ElementType type) {
  if (opcode == hlo::Opcode::logical_not) return true;
  const WordOperation* operation = word_operation(opcode);
  return operation != nullptr && !(type == hlo::ElementType::u32 && operation->is_signed);
}

bool combines_predicates(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::logical_and || opcode == hlo::Opcode::logical_or ||
         opcode == hlo::Opcode::logical_xor || opcode == hlo::Opcode::logical_not;
}

bool converts(hlo::ElementType from, hlo::ElementType to) {
  const bool words = held(from) == Held::integers && held(to) == Held::floats;
  return !(words && from == hlo::ElementType::u32) && !(held(from) == Held::floats && to == hlo::ElementType::u32);
}

}  // namespace

Value write_operation(Builder& b, const hlo::Instruction& instruction, std::span<const hlo::ElementType> types,
                      Operands x) {
  const hlo::ElementType result = instruction.shape.element_type;
  switch (instruction.opcode) {
    case hlo::Opcode::copy:
      return x[0];
    case hlo::Opcode::convert:
      return converted(b, types[0], result, x[0]);
    case hlo::Opcode::bitcast_convert:
      return x[0];
    case hlo::Opcode::compare:
      return compared(b, instruction, types[0], x);
    case hlo::Opcode::select:
      return selected(b, result, x);
    case hlo::Opcode::clamp:
      return clamped(b, result, x);
    case hlo::Opcode::is_finite:
      return is_finite(b, x[0]);
    default:
      break;
  }
  if (held(result) == Held::floats) return on_floats(b, instruction.opcode, x);
  if (held(result) == Held::integers) return on_integers(b, instruction.opcode, x);
  return on_predicates(b, instruction.opcode, x);
}

bool has_operation(const hlo::Instruction& instruction, std::span<const hlo::ElementType> types) {
  const hlo::ElementType result = instruction.shape.element_type;
  const auto is_held = [](hlo::ElementType type) { return held(type) != Held::not_at_all; };
  if (!is_held(result) || !std::ranges::all_of(types, is_held)) return false;
  const bool equality =
      instruction.comparison == hlo::ComparisonDirection::eq || instruction.comparison == hlo::ComparisonDirection::ne;
  switch (instruction.opcode) {
    case hlo::Opcode::copy:
    case hlo::Opcode::select:
      return true;
    case hlo::Opcode::convert:
      return converts(types[0], result);
    case hlo::Opcode::bitcast_convert:
      return held(result) != Held::mask && held(types[0]) != Held::mask && result != hlo::ElementType::bf16 &&
             types[0] != hlo::ElementType::bf16;
    case hlo::Opcode::compare:
      return !instruction.total_order && (held(types[0]) != Held::mask || equality);
    case hlo::Opcode::clamp:
      return held(result) == Held::floats || result == hlo::ElementType::s32;
    case hlo::Opcode::is_finite:
      return held(types[0]) == Held::floats;
    default:
      break;
  }
  if (held(result) == Held::floats) return float_operation(instruction.opcode) != nullptr;
  if (held(result) == Held::integers) return has_word_operation(instruction.opcode, result);
  return combines_predicates(instruction.opcode);
}

double rounding_steps(hlo::Opcode opcode) {
  const FloatOperation* operation = float_operation(opcode);
  return operation == nullptr ? 1 : operation->steps;
}

bool keeps_bf16(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::copy:
    case hlo::Opcode::select:
    case hlo::Opcode::clamp:
    case hlo::Opcode::maximum:
    case hlo::Opcode::minimum:
    case hlo::Opcode::negate:
    case hlo::Opcode::abs:
    case hlo::Opcode::sign:
      return true;
    default:
      return false;
  }
}

}  // namespace podsim::sw::codegen::fusion
