// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/whole/integer_function.h"

#include <bit>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace podsim::hlo::eval::whole {

namespace {

using Bits = std::uint64_t;

int operation_width(ElementType type) {
  return type == ElementType::pred ? 1 : element_types()[std::size_t(type)].bits;
}

/// Bits of the type without sign extension.
Bits own_bits(ElementType type, std::int64_t x) {
  const int bits = operation_width(type);
  return bits == 64 ? Bits(x) : Bits(x) & ((Bits{1} << bits) - 1);
}

std::int64_t divide(ElementType type, std::int64_t x, std::int64_t y) {
  if (y == 0) return -1;
  if (!is_signed_integer(type)) return std::int64_t(Bits(x) / Bits(y));
  return y == -1 ? std::int64_t(0 - Bits(x)) : x / y;
}

std::int64_t remainder(ElementType type, std::int64_t x, std::int64_t y) {
  if (y == 0) return x;
  if (!is_signed_integer(type)) return std::int64_t(Bits(x) % Bits(y));
  return y == -1 ? 0 : x % y;
}

std::int64_t power(ElementType type, std::int64_t x, std::int64_t y) {
  if (is_signed_integer(type) && y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  Bits result = 1, square = Bits(x);
  for (Bits exponent = Bits(y); exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return std::int64_t(result);
}

std::int64_t shift(Opcode opcode, ElementType type, std::int64_t x, std::int64_t y) {
  const Bits amount = own_bits(type, y);
  const bool all = amount >= Bits(operation_width(type));
  if (opcode == Opcode::shift_left) return all ? 0 : std::int64_t(Bits(x) << amount);
  if (opcode == Opcode::shift_right_logical) return all ? 0 : std::int64_t(own_bits(type, x) >> amount);
  // For an unsigned type the highest bit serves as the sign.
  const int bits = operation_width(type);
  const std::int64_t extended = std::int64_t(Bits(x) << (64 - bits)) >> (64 - bits);
  return extended >> (all ? Bits(bits - 1) : amount);
}

std::int64_t integer_sign(ElementType type, std::int64_t x) {
  if (!is_signed_integer(type)) return x != 0;
  return (x > 0) - (x < 0);
}

}  // namespace

bool integer_less(ElementType type, std::int64_t x, std::int64_t y) {
  return is_signed_integer(type) ? x < y : Bits(x) < Bits(y);
}

std::int64_t apply_integer(Opcode opcode, ElementType type, std::int64_t x, std::int64_t y) {
  const bool predicate = type == ElementType::pred;
  switch (opcode) {
    case Opcode::negate:
      return std::int64_t(0 - Bits(x));
    case Opcode::abs:
      return is_signed_integer(type) && x < 0 ? std::int64_t(0 - Bits(x)) : x;
    case Opcode::sign:
      return integer_sign(type, x);
    case Opcode::logical_not:
      return predicate ? x == 0 : ~x;
    case Opcode::popcnt:
      return std::popcount(own_bits(type, x));
    case Opcode::count_leading_zeros:
      return std::countl_zero(own_bits(type, x)) - (64 - operation_width(type));
    case Opcode::copy:
      return x;
    case Opcode::add:
      return predicate ? (x | y) : std::int64_t(Bits(x) + Bits(y));
    case Opcode::subtract:
      return std::int64_t(Bits(x) - Bits(y));
    case Opcode::multiply:
      return std::int64_t(Bits(x) * Bits(y));
    case Opcode::divide:
      return divide(type, x, y);
    case Opcode::remainder:
      return remainder(type, x, y);
    case Opcode::power:
      return power(type, x, y);
    case Opcode::maximum:
      return integer_less(type, x, y) ? y : x;
    case Opcode::minimum:
      return integer_less(type, y, x) ? y : x;
    case Opcode::logical_and:
      return x & y;
    case Opcode::logical_or:
      return x | y;
    case Opcode::logical_xor:
      return x ^ y;
    case Opcode::shift_left:
    case Opcode::shift_right_logical:
    case Opcode::shift_right_arithmetic:
      return shift(opcode, type, x, y);
    default:
      throw std::logic_error(fmt::format("{} of {} cannot be evaluated", to_string(opcode), to_string(type)));
  }
}

}  // namespace podsim::hlo::eval::whole
