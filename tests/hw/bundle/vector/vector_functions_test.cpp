// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vector_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "hw/bundle/vector/vector_kernels.h"
#include "tests/hw/bundle/random_register.h"

namespace podsim::hw::bundle::vector {
namespace {

using isa::Opcode;
using Word = std::uint32_t;

// The model: one lane at a time, floats by way of double. The sum and the product of two f32 rounded to double and then
// to f32 are rounded as if once, since 53 >= 2 * 24 + 2 bits; the rest is the definition in words.

constexpr Word the_nan = 0x7fc00000;
double number(Word w) { return double(std::bit_cast<float>(w)); }
Word rounded(double value) { return std::isnan(value) ? the_nan : std::bit_cast<Word>(float(value)); }
std::int64_t integer(Word w) { return std::int32_t(w); }

/// Zeros are ordered by their sign, all else by value.
bool greater(Word x, Word y) {
  return number(x) > number(y) || (number(x) == number(y) && std::signbit(number(y)) && !std::signbit(number(x)));
}
Word extreme(Word x, Word y, bool greatest) {
  if (std::isnan(number(x)) || std::isnan(number(y))) return the_nan;
  return greater(x, y) == greatest ? x : y;
}

Word to_integer(Word y) {
  if (std::isnan(number(y))) return 0;
  return Word(std::int32_t(std::clamp(std::trunc(number(y)), double(INT32_MIN), double(INT32_MAX))));
}

/// The two f32 around an integer, and the nearer, or the even one.
Word from_integer(Word y) {
  const auto exact = double(integer(y));
  float below = float(exact);
  if (double(below) > exact) below = std::nextafterf(below, -std::numeric_limits<float>::infinity());
  const float above = double(below) == exact ? below : std::nextafterf(below, std::numeric_limits<float>::infinity());
  const double down = exact - double(below), up = double(above) - exact;
  const bool take_below = down < up || (down == up && std::bit_cast<Word>(below) % 2 == 0);
  return std::bit_cast<Word>(take_below ? below : above);
}

/// The upper half of one of the two bf16 around the magnitude; the one beyond the largest counts as 2^128.
Word to_bf16(Word y) {
  if (std::isnan(number(y))) return the_nan;
  if (std::isinf(number(y))) return y;
  const Word sign = y & 0x80000000, below = y & 0x7fff0000, above = below + 0x10000;
  const double exact = std::abs(number(y));
  const double up = (above == 0x7f800000 ? 0x1p128 : number(above)) - exact, down = exact - number(below);
  const bool take_below = down < up || (down == up && (below >> 16) % 2 == 0);
  return sign | (take_below ? below : above);
}

std::int64_t power_of_two(Word exponent) { return std::int64_t(1) << (exponent % 32); }
std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return (a - ((a % b) + b) % b) / b; }

struct LaneModel {
  isa::Opcode opcode;
  std::function<Word(Word, Word)> function;
};

const std::vector<LaneModel>& lane_models() {
  static const std::vector<LaneModel> models = {
      {isa::Opcode::v_add_f32, [](Word x, Word y) { return rounded(number(x) + number(y)); }},
      {isa::Opcode::v_sub_f32, [](Word x, Word y) { return rounded(number(x) - number(y)); }},
      {isa::Opcode::v_mul_f32, [](Word x, Word y) { return rounded(number(x) * number(y)); }},
      {isa::Opcode::v_max_f32, [](Word x, Word y) { return extreme(x, y, true); }},
      {isa::Opcode::v_min_f32, [](Word x, Word y) { return extreme(x, y, false); }},
      {isa::Opcode::v_add_s32, [](Word x, Word y) { return Word(integer(x) + integer(y)); }},
      {isa::Opcode::v_sub_s32, [](Word x, Word y) { return Word(integer(x) - integer(y)); }},
      {isa::Opcode::v_mul_s32, [](Word x, Word y) { return Word(integer(x) * integer(y)); }},
      {isa::Opcode::v_max_s32, [](Word x, Word y) { return Word(std::max(integer(x), integer(y))); }},
      {isa::Opcode::v_min_s32, [](Word x, Word y) { return Word(std::min(integer(x), integer(y))); }},
      {isa::Opcode::v_and, [](Word x, Word y) { return x & y; }},
      {isa::Opcode::v_or, [](Word x, Word y) { return x | y; }},
      {isa::Opcode::v_xor, [](Word x, Word y) { return (x | y) - (x & y); }},
      {isa::Opcode::v_shl, [](Word x, Word y) { return Word(integer(x) * power_of_two(y)); }},
      {isa::Opcode::v_shr, [](Word x, Word y) { return Word(std::int64_t(x) / power_of_two(y)); }},
      {isa::Opcode::v_sar, [](Word x, Word y) { return Word(floor_divide(integer(x), power_of_two(y))); }},
      {isa::Opcode::v_mov, [](Word, Word y) { return y; }},
      {isa::Opcode::v_splat, [](Word, Word y) { return y; }},
      {isa::Opcode::v_cvt_f32_s32, [](Word, Word y) { return to_integer(y); }},
      {isa::Opcode::v_cvt_s32_f32, [](Word, Word y) { return from_integer(y); }},
      {isa::Opcode::v_round_bf16, [](Word, Word y) { return to_bf16(y); }},
  };
  return models;
}

/// The word of a bf16 as f32; only its NaNs change.
Word widened(Word half) {
  const Word word = half << 16;
  return std::isnan(number(word)) ? the_nan : word;
}

VectorRegister unmasked(isa::Opcode opcode, const VectorRegister& x, const VectorRegister& y) {
  const auto lane_model =
      std::find_if(lane_models().begin(), lane_models().end(), [&](const auto& m) { return m.opcode == opcode; });
  VectorRegister result;
  for (int s = 0; s < sublanes; ++s) {
    for (int l = 0; l < lanes; ++l) {
      Word& d = word_at(result, s, l);
      if (lane_model != lane_models().end()) {
        d = lane_model->function(word_at(x, s, l), word_at(y, s, l));
      } else if (opcode == isa::Opcode::v_lane) {
        d = Word(l);
      } else if (opcode == isa::Opcode::v_sublane) {
        d = Word(s);
      } else if (opcode == isa::Opcode::v_pack_bf16) {
        const VectorRegister& rows = s < 4 ? x : y;
        d = (to_bf16(word_at(rows, 2 * (s % 4), l)) >> 16) | to_bf16(word_at(rows, 2 * (s % 4) + 1, l));
      } else {
        const Word pair = word_at(y, s / 2 + (opcode == isa::Opcode::v_unpack_hi ? 4 : 0), l);
        d = widened(s % 2 == 0 ? pair & 0xffff : pair >> 16);
      }
    }
  }
  return result;
}

VectorRegister chosen(const VectorRegister& x, const VectorRegister& y, const MaskRegister& mask) {
  VectorRegister result;
  for (int s = 0; s < sublanes; ++s) {
    for (int l = 0; l < lanes; ++l)
      word_at(result, s, l) = lane_is_set(mask, s, l) ? word_at(x, s, l) : word_at(y, s, l);
  }
  return result;
}

std::vector<isa::Opcode> operations() {
  std::vector<isa::Opcode> result = {isa::Opcode::v_lane, isa::Opcode::v_sublane, isa::Opcode::v_pack_bf16,
                                     isa::Opcode::v_unpack_lo, isa::Opcode::v_unpack_hi};
  for (const LaneModel& model : lane_models()) result.push_back(model.opcode);
  return result;
}

/// Message about the first difference of two registers: operands and both results.
std::optional<std::string> difference(const VectorRegister& found, const VectorRegister& expected) {
  for (int i = 0; i < register_words; ++i) {
    const Word a = found.words[std::size_t(i)], b = expected.words[std::size_t(i)];
    if (a != b) {
      std::ostringstream text;
      text << "word " << i << std::hex << " is " << a << ", not " << b;
      return text.str();
    }
  }
  return std::nullopt;
}

void expect_equal(const VectorRegister& found, const VectorRegister& expected, const VectorKernels& kernels,
                  isa::Opcode opcode) {
  const auto differs = difference(found, expected);
  EXPECT_FALSE(differs) << kernels.name << " opcode " << int(opcode) << ": " << *differs;
}

TEST(VectorFunctions, EveryOperationGivesTheModelsWordsOnEveryInstructionSet) {
  RandomWords random(1);
  for (int round = 0; round < 40; ++round) {
    const VectorRegister x = random.vector(), y = random.vector();
    for (isa::Opcode opcode : operations()) {
      const VectorRegister expected = unmasked(opcode, x, y);
      for (const VectorKernels& kernels : vector_kernels()) {
        VectorRegister d = random.vector();
        kernels.operation(opcode, d, x, y, MaskRegister::all());
        expect_equal(d, expected, kernels, opcode);
      }
    }
  }
}

TEST(VectorFunctions, LanesOutsideOfTheMaskKeepTheirWords) {
  RandomWords random(2);
  MaskRegister none{}, all_but_one = MaskRegister::all();
  all_but_one.bits[15] ^= std::uint64_t(1) << 63;
  for (const MaskRegister& mask : {random.mask(), none, all_but_one}) {
    const VectorRegister x = random.vector(), y = random.vector(), before = random.vector();
    for (isa::Opcode opcode : operations()) {
      const VectorRegister expected = chosen(unmasked(opcode, x, y), before, mask);
      for (const VectorKernels& kernels : vector_kernels()) {
        VectorRegister d = before;
        kernels.operation(opcode, d, x, y, mask);
        expect_equal(d, expected, kernels, opcode);
      }
    }
  }
}

TEST(VectorFunctions, ADestinationMayBeEitherOperandOrBoth) {
  RandomWords random(3);
  const VectorRegister x = random.vector(), y = random.vector();
  for (const MaskRegister& mask : {MaskRegister::all(), random.mask()}) {
    for (isa::Opcode opcode : operations()) {
      for (const VectorKernels& kernels : vector_kernels()) {
        VectorRegister is_x = x, is_y = y, is_both = x;
        kernels.operation(opcode, is_x, is_x, y, mask);
        kernels.operation(opcode, is_y, x, is_y, mask);
        kernels.operation(opcode, is_both, is_both, is_both, mask);
        expect_equal(is_x, chosen(unmasked(opcode, x, y), x, mask), kernels, opcode);
        expect_equal(is_y, chosen(unmasked(opcode, x, y), y, mask), kernels, opcode);
        expect_equal(is_both, chosen(unmasked(opcode, x, x), x, mask), kernels, opcode);
      }
    }
  }
}

TEST(VectorFunctions, SelectTakesTheMaskAsItsChoice) {
  RandomWords random(4);
  const VectorRegister x = random.vector(), y = random.vector();
  for (const MaskRegister& mask : {MaskRegister::all(), MaskRegister{}, random.mask()}) {
    for (const VectorKernels& kernels : vector_kernels()) {
      VectorRegister d = random.vector(), is_x = x, is_y = y;
      kernels.operation(isa::Opcode::v_select, d, x, y, mask);
      kernels.operation(isa::Opcode::v_select, is_x, is_x, y, mask);
      kernels.operation(isa::Opcode::v_select, is_y, x, is_y, mask);
      for (const VectorRegister& found : {d, is_x, is_y}) {
        expect_equal(found, chosen(x, y, mask), kernels, isa::Opcode::v_select);
      }
    }
  }
}

TEST(VectorFunctions, UnpackingGivesBackWhatBf16CanHold) {
  RandomWords random(5);
  for (int round = 0; round < 10; ++round) {
    VectorRegister x = random.numbers(), y = random.numbers(), packed, lo, hi;
    vector_operation(isa::Opcode::v_round_bf16, x, x, x, MaskRegister::all());
    vector_operation(isa::Opcode::v_round_bf16, y, y, y, MaskRegister::all());
    vector_operation(isa::Opcode::v_pack_bf16, packed, x, y, MaskRegister::all());
    vector_operation(isa::Opcode::v_unpack_lo, lo, x, packed, MaskRegister::all());
    vector_operation(isa::Opcode::v_unpack_hi, hi, x, packed, MaskRegister::all());
    EXPECT_EQ(lo.words, x.words);
    EXPECT_EQ(hi.words, y.words);
  }
}

struct Comparison {
  isa::Opcode opcode;
  std::function<bool(Word, Word)> function;
};

TEST(VectorFunctions, EveryCompareGivesTheModelsMaskOnEveryInstructionSet) {
  // NaN compares false except for ne, as in double.
  const std::vector<Comparison> comparisons = {
      {isa::Opcode::v_eq_f32, [](Word x, Word y) { return number(x) == number(y); }},
      {isa::Opcode::v_ne_f32, [](Word x, Word y) { return number(x) != number(y); }},
      {isa::Opcode::v_lt_f32, [](Word x, Word y) { return number(x) < number(y); }},
      {isa::Opcode::v_le_f32, [](Word x, Word y) { return number(x) <= number(y); }},
      {isa::Opcode::v_eq_s32, [](Word x, Word y) { return integer(x) == integer(y); }},
      {isa::Opcode::v_ne_s32, [](Word x, Word y) { return integer(x) != integer(y); }},
      {isa::Opcode::v_lt_s32, [](Word x, Word y) { return integer(x) < integer(y); }},
      {isa::Opcode::v_le_s32, [](Word x, Word y) { return integer(x) <= integer(y); }},
      {isa::Opcode::v_ltu_s32, [](Word x, Word y) { return x < y; }},
  };
  RandomWords random(6);
  for (int round = 0; round < 20; ++round) {
    const VectorRegister x = random.vector();
    VectorRegister y = random.vector();
    for (std::size_t i = 0; i < register_words; i += 3) y.words[i] = x.words[i];
    for (const MaskRegister& mask : {MaskRegister::all(), random.mask()}) {
      for (const Comparison& comparison : comparisons) {
        for (const VectorKernels& kernels : vector_kernels()) {
          MaskRegister d = random.mask(), is_mask = mask;
          kernels.compare(comparison.opcode, d, x, y, mask);
          kernels.compare(comparison.opcode, is_mask, x, y, is_mask);
          EXPECT_EQ(d, is_mask);
          for (int s = 0; s < sublanes; ++s) {
            for (int l = 0; l < lanes; ++l) {
              const bool expected = lane_is_set(mask, s, l) && comparison.function(word_at(x, s, l), word_at(y, s, l));
              ASSERT_EQ(lane_is_set(d, s, l), expected)
                  << kernels.name << " opcode " << int(comparison.opcode) << std::hex << " of " << word_at(x, s, l)
                  << " and " << word_at(y, s, l);
            }
          }
        }
      }
    }
  }
}

TEST(VectorFunctions, MasksAreCombinedLaneByLane) {
  RandomWords random(7);
  const MaskRegister x = random.mask(), y = random.mask();
  const auto expect = [&](isa::Opcode opcode, auto function) {
    MaskRegister d, is_x = x, is_y = y;
    mask_operation(opcode, d, x, y);
    mask_operation(opcode, is_x, is_x, y);
    mask_operation(opcode, is_y, x, is_y);
    EXPECT_EQ(is_x, d);
    EXPECT_EQ(is_y, d);
    for (int s = 0; s < sublanes; ++s) {
      for (int l = 0; l < lanes; ++l) {
        ASSERT_EQ(lane_is_set(d, s, l), function(lane_is_set(x, s, l), lane_is_set(y, s, l))) << int(opcode);
      }
    }
  };
  expect(isa::Opcode::m_and, [](bool a, bool b) { return a && b; });
  expect(isa::Opcode::m_or, [](bool a, bool b) { return a || b; });
  expect(isa::Opcode::m_xor, [](bool a, bool b) { return a != b; });
  expect(isa::Opcode::m_andn, [](bool a, bool b) { return a && !b; });
}

TEST(VectorFunctions, FillWritesEveryLane) {
  VectorRegister d = RandomWords(8).vector();
  fill(d, 0x12345678);
  EXPECT_TRUE(std::all_of(d.words.begin(), d.words.end(), [](Word w) { return w == 0x12345678; }));
}

TEST(VectorFunctions, ThePublicFunctionsUseOneOfTheInstructionSets) {
  RandomWords random(9);
  const VectorRegister x = random.vector(), y = random.vector();
  VectorRegister d, expected;
  vector_operation(isa::Opcode::v_mul_f32, d, x, y, MaskRegister::all());
  vector_kernels().front().operation(isa::Opcode::v_mul_f32, expected, x, y, MaskRegister::all());
  EXPECT_EQ(d.words, expected.words);
  EXPECT_STREQ(vector_kernels().front().name, "plain");
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
