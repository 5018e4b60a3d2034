// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/elementwise.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>

#include "hlo/eval/bit_pattern.h"
#include "hlo/eval/real_function.h"
#include "hlo/eval/whole/integer_function.h"
#include "hlo/float_format.h"

namespace podsim::hlo::eval {
namespace {

__extension__ typedef __int128 Wide;

constexpr ElementType integer_types[] = {ElementType::s4,  ElementType::s8, ElementType::s16, ElementType::s32,
                                         ElementType::s64, ElementType::u4, ElementType::u8,  ElementType::u16,
                                         ElementType::u32, ElementType::u64};

int bits(ElementType type) { return element_types()[std::size_t(type)].bits; }

/// The number that the low bits of `value` represent in a type, counted from the lower end of its range.
Wide in_range(ElementType type, Wide value) {
  const Wide range = Wide(1) << bits(type);
  const Wide low = is_signed_integer(type) ? -(range / 2) : 0;
  Wide offset = (value - low) % range;
  if (offset < 0) offset += range;
  return low + offset;
}

Wide number(ElementType type, Element element) {
  const std::int64_t value = integer_of(type, element);
  return type == ElementType::u64 ? Wide(std::uint64_t(value)) : Wide(value);
}

Element any_element(ElementType type) {
  // Small numbers, numbers near the ends of the range, and arbitrary ones.
  const auto raw = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-3, 4), rc::gen::arbitrary<std::int64_t>(),
                                   rc::gen::element<std::int64_t>(INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -128));
  return integer_element(type, raw);
}

Wide divided(Wide x, Wide y) { return y == 0 ? -1 : x / y; }
Wide remaining(Wide x, Wide y) { return y == 0 ? x : x % y; }

TEST(IntegerFunction, ArithmeticIsThatOfWholeNumbersModuloTheRange) {
  const std::map<Opcode, std::function<Wide(Wide, Wide)>> exact = {
      {Opcode::add, [](Wide x, Wide y) { return x + y; }},
      {Opcode::subtract, [](Wide x, Wide y) { return x - y; }},
      {Opcode::divide, divided},
      {Opcode::remainder, remaining},
      {Opcode::maximum, [](Wide x, Wide y) { return std::max(x, y); }},
      {Opcode::minimum, [](Wide x, Wide y) { return std::min(x, y); }},
      {Opcode::negate, [](Wide x, Wide) { return -x; }},
      {Opcode::abs, [](Wide x, Wide) { return x < 0 ? -x : x; }},
      {Opcode::sign, [](Wide x, Wide) { return Wide((x > 0) - (x < 0)); }},
  };
  EXPECT_TRUE(rc::check([&] {
    for (const ElementType type : integer_types) {
      const Element x = any_element(type), y = any_element(type);
      for (const auto& [opcode, function] : exact) {
        Instruction instruction;
        instruction.opcode = opcode;
        const Element operands[] = {x, y};
        const Element result = apply_elementwise(instruction, type, operands);
        RC_ASSERT(number(type, result) == in_range(type, function(number(type, x), number(type, y))));
      }
      // The product of 64-bit numbers does not fit the oracle's range; its halves do.
      const Wide a = number(type, x), b = number(type, y);
      const Wide product = bits(type) == 64 ? Wide(std::int64_t(std::uint64_t(a) * std::uint64_t(b))) : a * b;
      RC_ASSERT(number(type, integer_element(type, whole::apply_integer(Opcode::multiply, type, std::int64_t(a),
                                                                        std::int64_t(b)))) == in_range(type, product));
    }
  }));
}

TEST(IntegerFunction, BitOperationsEqualThoseBitByBit) {
  EXPECT_TRUE(rc::check([] {
    for (const ElementType type : integer_types) {
      const int width = bits(type);
      const Element x = any_element(type), y = any_element(type);
      const std::uint64_t a = bits_of(type, x), b = bits_of(type, y);
      const auto bit = [](std::uint64_t value, int i) { return int(value >> i & 1); };
      const auto result = [&](Opcode opcode) {
        return bits_of(
            type, integer_element(type, whole::apply_integer(opcode, type, integer_of(type, x), integer_of(type, y))));
      };
      const std::uint64_t both = result(Opcode::logical_and), either = result(Opcode::logical_or),
                          one = result(Opcode::logical_xor), none = result(Opcode::logical_not),
                          left = result(Opcode::shift_left), right = result(Opcode::shift_right_logical),
                          arithmetic = result(Opcode::shift_right_arithmetic);
      std::uint64_t ones = 0, zeros = 0;
      bool leading = true;
      for (int i = width - 1; i >= 0; --i) {
        RC_ASSERT(bit(both, i) == (bit(a, i) & bit(b, i)));
        RC_ASSERT(bit(either, i) == (bit(a, i) | bit(b, i)));
        RC_ASSERT(bit(one, i) == (bit(a, i) ^ bit(b, i)));
        RC_ASSERT(bit(none, i) == 1 - bit(a, i));
        const bool far = b >= std::uint64_t(width);
        const int by = far ? 0 : int(b);
        RC_ASSERT(bit(left, i) == (far || i < by ? 0 : bit(a, i - by)));
        RC_ASSERT(bit(right, i) == (far || i + by >= width ? 0 : bit(a, i + by)));
        RC_ASSERT(bit(arithmetic, i) == (far || i + by >= width ? bit(a, width - 1) : bit(a, i + by)));
        ones += std::uint64_t(bit(a, i));
        leading = leading && bit(a, i) == 0;
        zeros += leading ? 1 : 0;
      }
      // A count of a 4-bit type need not fit into it.
      if (width < 8) continue;
      RC_ASSERT(result(Opcode::popcnt) == ones);
      RC_ASSERT(result(Opcode::count_leading_zeros) == zeros);
    }
  }));
}

TEST(IntegerFunction, APowerIsARepeatedProduct) {
  EXPECT_TRUE(rc::check([] {
    for (const ElementType type : integer_types) {
      const std::int64_t x = integer_of(type, any_element(type));
      const auto exponent = *rc::gen::inRange<std::int64_t>(0, 7);
      std::int64_t product = 1;
      for (int i = 0; i < exponent; ++i) product = whole::apply_integer(Opcode::multiply, type, product, x);
      RC_ASSERT(whole::apply_integer(Opcode::power, type, x, exponent) == product);
    }
  }));
  EXPECT_EQ(whole::apply_integer(Opcode::power, ElementType::s32, -1, -3), -1);
  EXPECT_EQ(whole::apply_integer(Opcode::power, ElementType::s32, 5, -1), 0);
}

TEST(IntegerFunction, PredicatesAreTruthValues) {
  for (const std::int64_t x : {0, 1}) {
    for (const std::int64_t y : {0, 1}) {
      const auto apply = [&](Opcode opcode) { return whole::apply_integer(opcode, ElementType::pred, x, y); };
      EXPECT_EQ(apply(Opcode::logical_and), x != 0 && y != 0);
      EXPECT_EQ(apply(Opcode::logical_or), x != 0 || y != 0);
      EXPECT_EQ(apply(Opcode::logical_xor), x != y);
      EXPECT_EQ(apply(Opcode::logical_not), x == 0);
    }
  }
}

TEST(RealFunction, EqualsTheCLibrary) {
  const std::map<Opcode, double (*)(double)> functions = {
      {Opcode::exponential_minus_one, [](double x) { return std::expm1(x); }},
      {Opcode::log_plus_one, [](double x) { return std::log1p(x); }},
      {Opcode::logistic, [](double x) { return 0.5 + 0.5 * std::tanh(x / 2); }},
      {Opcode::erf, [](double x) { return 1 - std::erfc(x); }},
      {Opcode::cbrt, [](double x) { return std::copysign(std::pow(std::abs(x), 1 / 3.0), x); }},
      {Opcode::sine, [](double x) { return std::cos(x - std::acos(0.0)); }},
      {Opcode::cosine, [](double x) { return 1 - 2 * std::sin(x / 2) * std::sin(x / 2); }},
      {Opcode::tan, [](double x) { return std::sin(x) / std::cos(x); }},
      {Opcode::asin, [](double x) { return std::atan2(x, std::sqrt(1 - x * x)); }},
      {Opcode::acos, [](double x) { return std::atan2(std::sqrt(1 - x * x), x); }},
      {Opcode::sinh, [](double x) { return (std::exp(x) - std::exp(-x)) / 2; }},
      {Opcode::cosh, [](double x) { return (std::exp(x) + std::exp(-x)) / 2; }},
      {Opcode::asinh, [](double x) { return std::log(x + std::sqrt(x * x + 1)); }},
      {Opcode::atanh, [](double x) { return std::log((1 + x) / (1 - x)) / 2; }},
  };
  for (const auto& [opcode, function] : functions) {
    for (const double x : {-0.75, -0.1, 0.3, 0.9}) {
      EXPECT_NEAR(apply_real(opcode, x, 0), function(x), 1e-14) << to_string(opcode) << " " << x;
    }
  }
  EXPECT_NEAR(apply_real(Opcode::acosh, 2.5, 0), std::log(2.5 + std::sqrt(2.5 * 2.5 - 1)), 1e-14);
  EXPECT_NEAR(apply_real(Opcode::atan2, -1, -1), -3 * std::acos(0.0) / 2, 1e-14);
  EXPECT_EQ(apply_real(Opcode::remainder, -7.5, 2), -1.5);
  EXPECT_EQ(apply_real(Opcode::round_nearest_afz, -2.5, 0), -3);
  EXPECT_EQ(apply_real(Opcode::round_nearest_even, -2.5, 0), -2);
  EXPECT_EQ(apply_real(Opcode::ceil, -0.5, 0), 0);
  EXPECT_EQ(apply_real(Opcode::floor, -0.5, 0), -1);
  EXPECT_THROW(apply_real(Opcode::popcnt, 1, 0), std::logic_error);
}

TEST(RealFunction, TotalOrderGoesFromMinusNanToNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double order[] = {-nan, -INFINITY, -1, -1e-300, -0.0, 0.0, 1e-300, 1, INFINITY, nan};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    for (std::size_t k = 0; k < std::size(order); ++k) EXPECT_EQ(totally_less(order[i], order[k]), i < k);
  }
}

TEST(RealFunction, ReducedPrecisionOfAKnownFormatIsItsRounding) {
  EXPECT_TRUE(rc::check([](float value) {
    if (std::isnan(value)) return;
    RC_ASSERT(reduce_precision(ElementType::f32, 8, 7, value) == round_to(ElementType::bf16, value));
    const double half = round_to(ElementType::f16, value);
    // Subnormal numbers of the narrower format become 0.
    const double expected = std::abs(half) < std::ldexp(1.0, -14) ? 0 : half;
    if (std::abs(value) < std::ldexp(1.0, -15) || std::abs(value) >= std::ldexp(1.0, -14)) {
      RC_ASSERT(reduce_precision(ElementType::f32, 5, 10, value) == expected);
    }
  }));
}

TEST(Conversion, TruncatesSaturatesAndWraps) {
  const auto convert = [](ElementType from, ElementType to, Element x) { return convert_element(from, to, x); };
  using enum ElementType;
  EXPECT_EQ(convert(f32, s64, {1e30, 0}).integer, INT64_MAX);
  EXPECT_EQ(convert(f32, s64, {-2.9, 0}).integer, -2);
  EXPECT_EQ(std::uint64_t(convert(f32, u64, {0x1p63, 0}).integer), std::uint64_t{1} << 63);
  EXPECT_EQ(convert(f32, u64, {-5, 0}).integer, 0);
  EXPECT_EQ(convert(f32, u8, {300, 0}).number, 255);
  EXPECT_EQ(convert(s64, s8, {0, 300}).number, 44);
  EXPECT_EQ(convert(s32, u64, {-1, 0}).integer, -1);
  EXPECT_EQ(convert(u64, f32, {0, -1}).number, 0x1p64);
  // 2^53 + 2^29 + 1 is just above the middle of two f32; rounded through a double it would be the middle.
  const std::int64_t above = (std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1;
  EXPECT_EQ(convert(s64, f32, {0, above}).number, double(float(above)));
  EXPECT_EQ(convert(s64, f32, {0, above}).number, 0x1p53 + 0x1p30);
  EXPECT_EQ(convert(s64, pred, {0, 1LL << 40}).number, 1);
}

/// Largest numbers, smallest normal and smallest subnormal numbers of the OCP 8-bit specification (1.0, table 1), the
/// microscaling specification (1.0, tables 1 to 4), and of the fnuz formats of Noune et al., arXiv:2206.02915.
TEST(FloatFormat, HasThePublishedExtremes) {
  struct Row {
    ElementType type;
    double largest, smallest_normal, smallest;
  };
  const Row rows[] = {
      {ElementType::f8e5m2, 57344, 0x1p-14, 0x1p-16},
      {ElementType::f8e4m3fn, 448, 0x1p-6, 0x1p-9},
      {ElementType::f8e5m2fnuz, 57344, 0x1p-15, 0x1p-17},
      {ElementType::f8e4m3fnuz, 240, 0x1p-7, 0x1p-10},
      {ElementType::f6e3m2fn, 28, 0.25, 0.0625},
      {ElementType::f6e2m3fn, 7.5, 1, 0.125},
      {ElementType::f4e2m1fn, 6, 1, 0.5},
      {ElementType::f16, 65504, 0x1p-14, 0x1p-24},
  };
  for (const Row& row : rows) {
    const FloatFormat format = float_format(row.type).value();
    const int width = bits(row.type);
    double largest = 0, smallest = INFINITY;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << width; ++code) {
      const double value = decode(format, width, code);
      if (std::isfinite(value)) largest = std::max(largest, value);
      if (value > 0) smallest = std::min(smallest, value);
    }
    EXPECT_EQ(largest, row.largest) << to_string(row.type);
    EXPECT_EQ(smallest, row.smallest) << to_string(row.type);
    EXPECT_EQ(round_to(row.type, row.smallest_normal * 1.0001), row.smallest_normal) << to_string(row.type);
  }
}

TEST(FloatFormat, CodesReadBackAndRoundingTakesTheNearestCode) {
  for (const ElementType type :
       {ElementType::f4e2m1fn, ElementType::f6e2m3fn, ElementType::f6e3m2fn, ElementType::f8e3m4, ElementType::f8e4m3,
        ElementType::f8e4m3fn, ElementType::f8e4m3fnuz, ElementType::f8e4m3b11fnuz, ElementType::f8e5m2,
        ElementType::f8e5m2fnuz}) {
    const FloatFormat format = float_format(type).value();
    std::vector<double> values;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << bits(type); ++code) {
      const double value = decode(format, bits(type), code);
      if (!std::isnan(value)) {
        ASSERT_EQ(encode(format, bits(type), value), code) << to_string(type);
      }
      if (std::isfinite(value)) values.push_back(value);
    }
    EXPECT_TRUE(rc::check([&] {
      const double unit = *rc::gen::map(rc::gen::inRange(-1000000, 1000001), [](int i) { return i * 1e-6; });
      const double value = unit * format.largest;
      const double rounded = round_to(type, value);
      for (const double other : values) RC_ASSERT(std::abs(rounded - value) <= std::abs(other - value));
    }));
  }
}

}  // namespace
}  // namespace podsim::hlo::eval
