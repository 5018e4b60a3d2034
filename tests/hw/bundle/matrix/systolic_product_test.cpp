// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/systolic_product.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>

namespace podsim::hw::bundle::matrix {
namespace {

using Word = std::uint32_t;

/// f32 to the nearest bf16, ties to even, by distances: both neighbours of 16 bits are tried.
float nearest_bf16(float x) {
  if (!std::isfinite(x)) return x;
  const Word bits = std::bit_cast<Word>(x);
  const Word down = bits & 0xffff0000U, up = down + 0x10000U;
  const double below = std::bit_cast<float>(down);
  // The next number of the same magnitude order where that is infinity, so that distances can be compared.
  const bool overflows = (up & 0x7f800000U) == 0x7f800000U;
  const double above = overflows ? std::copysign(std::ldexp(1.0, 128), x) : double(std::bit_cast<float>(up));
  const double to_below = std::abs(x - below), to_above = std::abs(above - x);
  const bool take_down = to_below < to_above || (to_below == to_above && (down & 0x10000U) == 0);
  return std::bit_cast<float>(take_down ? down : up);
}

/// The array's arithmetic as plain loops: each operation is stored as a float before the next.
vector::VectorRegister plain_product(const vector::VectorRegister& lhs, const std::vector<float>& weights) {
  vector::VectorRegister result{};
  for (int m = 0; m < vector::sublanes; ++m) {
    for (int n = 0; n < vector::lanes; ++n) {
      volatile float sum = 0;
      for (int k = 0; k < vector::lanes; ++k) {
        volatile float product = nearest_bf16(std::bit_cast<float>(lhs.words[std::size_t(m * vector::lanes + k)])) *
                                 nearest_bf16(weights[std::size_t(k * vector::lanes + n)]);
        sum = sum + product;
      }
      const float last = sum;
      result.words[std::size_t(m * vector::lanes + n)] = std::isnan(last) ? 0x7fc00000U : std::bit_cast<Word>(last);
    }
  }
  return result;
}

using Numbers = std::function<float(std::mt19937&)>;

float any_bits(std::mt19937& random) { return std::bit_cast<float>(Word(random())); }
float unit(std::mt19937& random) { return std::uniform_real_distribution<float>(-1, 1)(random); }
float denormal(std::mt19937& random) { return std::bit_cast<float>(Word(random()) & 0x807fffffU); }
/// Unbiased exponents from `least` to `most`.
Numbers exponents(int least, int most) {
  return [=](std::mt19937& random) {
    const float significand = 1 + unit(random) * unit(random);
    const float x = std::ldexp(significand, std::uniform_int_distribution<int>(least, most)(random));
    return random() % 2 ? x : -x;
  };
}
/// Mostly `numbers`, now and then something special.
Numbers with_specials(const Numbers& numbers) {
  return [=](std::mt19937& random) {
    constexpr Word specials[] = {0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc12345U, 0x7f800001U, 0,
                                 0x80000000U, 1,           0x7f7fffffU, 0xff7fffffU, 0x007fffffU};
    if (random() % 500 != 0) return numbers(random);
    return std::bit_cast<float>(specials[random() % std::size(specials)]);
  };
}

struct Family {
  const char* name;
  Numbers lhs, weights;
};
std::vector<Family> families() {
  return {{"units", unit, unit},
          {"any bits", any_bits, any_bits},
          {"denormals and units", denormal, unit},
          {"denormals and large numbers", denormal, exponents(90, 126)},
          {"denormals", denormal, denormal},
          {"products that are denormals", exponents(-80, -60), exponents(-80, -60)},
          {"products at the edge of underflow", exponents(-70, -66), exponents(-69, -65)},
          {"products at the edge of overflow", exponents(60, 64), exponents(60, 63)},
          {"products that overflow", exponents(60, 80), exponents(40, 80)},
          {"wide exponents", exponents(-126, 126), exponents(-126, 126)},
          {"units with specials", with_specials(unit), with_specials(unit)},
          {"wide exponents with specials", with_specials(exponents(-126, 126)), with_specials(exponents(-126, 126))}};
}

struct Case {
  vector::VectorRegister lhs;
  std::vector<float> weights = std::vector<float>(vector::lanes * vector::lanes);
};
std::unique_ptr<Case> random_case(const Family& family, std::mt19937& random) {
  auto made = std::make_unique<Case>();
  for (Word& word : made->lhs.words) word = std::bit_cast<Word>(family.lhs(random));
  for (float& weight : made->weights) weight = family.weights(random);
  return made;
}

vector::VectorRegister product(const ProductCode& code, const Case& c, bool transposed) {
  auto tile = std::make_unique<WeightTile>();
  OperandRegister operand;
  for (int j = 0; j < vector::lanes / vector::sublanes; ++j) {
    vector::VectorRegister pushed;
    for (int s = 0; s < vector::sublanes; ++s) {
      for (int l = 0; l < vector::lanes; ++l) {
        const int k = transposed ? l : vector::lanes - vector::sublanes * (j + 1) + s;
        const int n = transposed ? vector::sublanes * j + s : l;
        pushed.words[std::size_t(s * vector::lanes + l)] =
            std::bit_cast<Word>(c.weights[std::size_t(k * vector::lanes + n)]);
      }
    }
    code.round(pushed, operand);
    transposed ? tile->put_columns(j, operand) : tile->put_rows(j, operand);
  }
  code.round(c.lhs, operand);
  vector::VectorRegister result;
  code.multiply(operand, *tile, result);
  return result;
}

TEST(SystolicProduct, HasTheBitsOfPlainLoopsInEveryVariant) {
  std::mt19937 random(20180507);
  for (const Family& family : families()) {
    for (int i = 0; i < 2; ++i) {
      const auto c = random_case(family, random);
      const vector::VectorRegister expected = plain_product(c->lhs, c->weights);
      for (const ProductCode& code : product_codes()) {
        EXPECT_EQ(product(code, *c, i == 1).words, expected.words) << family.name << " by " << code.name;
      }
    }
  }
}

TEST(SystolicProduct, AddsInTheOrderOfTheRows) {
  // 2^24 + 1 - 2^24: 0 from the first row on, as 2^24 + 1 rounds to 2^24; any other order gives 1.
  Case c;
  c.lhs.words.fill(0);
  for (Word k = 0; k < 3; ++k) c.lhs.words[k] = std::bit_cast<Word>(1.0F);
  for (std::size_t n = 0; n < vector::lanes; ++n) {
    c.weights[0 * vector::lanes + n] = 0x1p24F;
    c.weights[1 * vector::lanes + n] = 1;
    c.weights[2 * vector::lanes + n] = -0x1p24F;
  }
  for (const ProductCode& code : product_codes()) EXPECT_EQ(product(code, c, false).words[5], 0U) << code.name;
}

/// Row 0 and row 1 of an array of which all other rows are zero meet `x0` and `x1`.
vector::VectorRegister two_products(const ProductCode& code, float x0, float w0, float x1, float w1) {
  Case c;
  c.lhs.words.fill(0);
  c.lhs.words[0] = std::bit_cast<Word>(x0);
  c.lhs.words[1] = std::bit_cast<Word>(x1);
  for (std::size_t n = 0; n < vector::lanes; ++n) {
    c.weights[n] = w0;
    c.weights[vector::lanes + n] = w1;
  }
  return product(code, c, false);
}

TEST(SystolicProduct, RoundsAProductBeforeItAdds) {
  for (const ProductCode& code : product_codes()) {
    // In units of the last denormal, 2^-149: 1 + 1.5 is 1 + 2 after rounding to even; 2.5 in one step would be 2.
    const vector::VectorRegister small = two_products(code, 0x1p-75F, 0x1p-74F, 0x1.8p-75F, 0x1p-74F);
    EXPECT_EQ(small.words[0], 3U) << code.name;
    // 2^128 is infinite; -2^127 + 2^128 in one step would be 2^127.
    const vector::VectorRegister large = two_products(code, -0x1p63F, 0x1p64F, 0x1p64F, 0x1p64F);
    EXPECT_EQ(large.words[0], 0x7f800000U) << code.name;
  }
}

TEST(SystolicProduct, RoundsOperandsToTheNearestBf16) {
  std::mt19937 random(7);
  vector::VectorRegister x;
  constexpr Word edges[] = {0x3f808000U, 0x3f818000U, 0x3f808001U, 0x3f807fffU, 0x7f7fffffU, 0x7f7f7fffU,
                            0x00008000U, 0x00018000U, 0x80007fffU, 0xffffffffU, 0x7f800001U, 0x7f800000U};
  for (std::size_t i = 0; i < x.words.size(); ++i) {
    x.words[i] = i < std::size(edges) ? edges[i] : Word(random()) & ((i % 2) != 0U ? 0xffffffffU : 0xffff8000U);
  }
  for (const ProductCode& code : product_codes()) {
    OperandRegister rounded;
    code.round(x, rounded);
    for (std::size_t i = 0; i < x.words.size(); ++i) {
      const float expected = nearest_bf16(std::bit_cast<float>(x.words[i]));
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(rounded.values[i])) << code.name << ' ' << std::hex << x.words[i];
      } else {
        EXPECT_EQ(std::bit_cast<Word>(rounded.values[i]), std::bit_cast<Word>(expected))
            << code.name << ' ' << std::hex << x.words[i];
      }
    }
  }
}

TEST(SystolicProduct, KnowsTheRangeOfItsOperands) {
  vector::VectorRegister x{};
  OperandRegister rounded;
  for (const ProductCode& code : product_codes()) {
    x.words.fill(0x80000000U);
    code.round(x, rounded);
    EXPECT_GT(rounded.exponents.least, rounded.exponents.most) << code.name;
    x.words[77] = std::bit_cast<Word>(-1.0F);
    x.words[1023] = 0x00010000U;  // the smallest denormal of bf16
    code.round(x, rounded);
    EXPECT_EQ(rounded.exponents, (ExponentRange{1, 127})) << code.name;
  }
}

ExponentRange range_of(float x) {
  vector::VectorRegister all;
  all.words.fill(std::bit_cast<Word>(x));
  OperandRegister rounded;
  product_codes().front().round(all, rounded);
  return rounded.exponents;
}

bool product_is_exact(float a, float b) {
  const double exact = double(a) * double(b);  // 16 bits: a double holds it
  return double(float(exact)) == exact;
}

RC_GTEST_PROP(SystolicProduct, TakesProductsForExactOnlyIfTheyAre, ()) {
  const auto bf16 = [] { return std::bit_cast<float>(Word(*rc::gen::inRange(0, 0x10000)) << 16); };
  const float a = bf16(), b = bf16();
  RC_PRE(std::isfinite(a) && std::isfinite(b));
  RC_ASSERT(!products_are_exact(range_of(a), range_of(b)) || product_is_exact(a, b));
}

TEST(SystolicProduct, FusesProductsOfAllExponentsForWhichItMay) {
  // 255 * 255 has all 16 bits and the upper and the lower of them set: the first to overflow and to underflow.
  const auto full = [](int exponent) { return std::ldexp(255.0F / 128, exponent); };
  int exact = 0;
  for (int a = -126; a <= 127; a += 11) {
    for (int b = -126; b <= 127; ++b) {
      const bool is_exact = product_is_exact(full(a), full(b));
      EXPECT_EQ(products_are_exact(range_of(full(a)), range_of(full(b))), is_exact) << a << ' ' << b;
      exact += is_exact ? 1 : 0;
    }
  }
  EXPECT_GT(exact, 0);
}

TEST(SystolicProduct, RunsEverywhere) {
  ASSERT_FALSE(product_codes().empty());
  EXPECT_STREQ(product_codes().front().name, "plain");
}

}  // namespace
}  // namespace podsim::hw::bundle::matrix
