// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

/// The vector opcodes in one lane, on words. The functions are inlined into loops that are compiled once per
/// instruction set. Therefore every choice is a select between two computed values, and floats use only operations that
/// IEEE 754 rounds exactly.
namespace podsim::hw::bundle::vector::lane {

using Word = std::uint32_t;

inline constexpr Word quiet_nan = 0x7fc00000;

[[gnu::always_inline]] inline float f32(Word word) { return std::bit_cast<float>(word); }
[[gnu::always_inline]] inline std::int32_t s32(Word word) { return std::int32_t(word); }
/// The bits of a result; every NaN becomes quiet_nan.
[[gnu::always_inline]] inline Word word(float value) { return value != value ? quiet_nan : std::bit_cast<Word>(value); }

[[gnu::always_inline]] inline Word add_f32(Word x, Word y) { return word(f32(x) + f32(y)); }
[[gnu::always_inline]] inline Word sub_f32(Word x, Word y) { return word(f32(x) - f32(y)); }
[[gnu::always_inline]] inline Word mul_f32(Word x, Word y) { return word(f32(x) * f32(y)); }

/// Maximum and minimum, with +0 greater than -0. Each is computed in both operand orders. If the operands compare
/// equal, the two results are different operands, which differ at most in the sign of zero; the and (for min, the or)
/// of their bits gives the right sign.
[[gnu::always_inline]] inline Word max_f32(Word x, Word y) {
  const Word xy = f32(x) < f32(y) ? y : x, yx = f32(y) < f32(x) ? x : y;
  return __builtin_isunordered(f32(x), f32(y)) ? quiet_nan : xy & yx;
}
[[gnu::always_inline]] inline Word min_f32(Word x, Word y) {
  const Word xy = f32(x) < f32(y) ? x : y, yx = f32(y) < f32(x) ? y : x;
  return __builtin_isunordered(f32(x), f32(y)) ? quiet_nan : xy | yx;
}

[[gnu::always_inline]] inline Word add_s32(Word x, Word y) { return x + y; }
[[gnu::always_inline]] inline Word sub_s32(Word x, Word y) { return x - y; }
[[gnu::always_inline]] inline Word mul_s32(Word x, Word y) { return x * y; }
[[gnu::always_inline]] inline Word max_s32(Word x, Word y) { return s32(x) > s32(y) ? x : y; }
[[gnu::always_inline]] inline Word min_s32(Word x, Word y) { return s32(x) < s32(y) ? x : y; }
[[gnu::always_inline]] inline Word and_bits(Word x, Word y) { return x & y; }
[[gnu::always_inline]] inline Word or_bits(Word x, Word y) { return x | y; }
[[gnu::always_inline]] inline Word xor_bits(Word x, Word y) { return x ^ y; }
[[gnu::always_inline]] inline Word shl(Word x, Word y) { return x << (y & 31); }
[[gnu::always_inline]] inline Word shr(Word x, Word y) { return x >> (y & 31); }
[[gnu::always_inline]] inline Word sar(Word x, Word y) { return Word(s32(x) >> (y & 31)); }
[[gnu::always_inline]] inline Word second(Word, Word y) { return y; }

/// f32 to int32, towards zero. Only numbers that int32 can hold are converted: 0 replaces NaN, and the largest f32
/// below 2^31 replaces larger numbers, for which the result is then INT32_MAX.
[[gnu::always_inline]] inline Word cvt_f32_s32(Word, Word y) {
  const float number = f32(y) != f32(y) ? 0.0F : f32(y);
  const float above = number < -0x1p31F ? -0x1p31F : number;
  const float inside = above > 0x1.fffffep30F ? 0x1.fffffep30F : above;
  return number >= 0x1p31F ? Word(INT32_MAX) : Word(std::int32_t(inside));
}
[[gnu::always_inline]] inline Word cvt_s32_f32(Word, Word y) { return std::bit_cast<Word>(float(s32(y))); }

/// f32 rounded to the nearest bf16 (ties to even), as f32. Adds half a unit of the upper half word, or slightly less if
/// the upper half is even. A result beyond the largest bf16 carries into infinity.
[[gnu::always_inline]] inline Word round_bf16(Word, Word y) {
  const Word rounded = (y + 0x7fff + (y >> 16 & 1)) & 0xffff0000;
  return f32(y) != f32(y) ? quiet_nan : rounded;
}
/// Packs f32 words of rows 2i and 2i + 1 into the low and high half of a word, as bf16.
[[gnu::always_inline]] inline Word pack_bf16(Word even, Word odd) {
  return round_bf16(0, even) >> 16 | round_bf16(0, odd);
}
[[gnu::always_inline]] inline Word unpack_even(Word pair) { return word(f32(pair << 16)); }
[[gnu::always_inline]] inline Word unpack_odd(Word pair) { return word(f32(pair & 0xffff0000)); }

[[gnu::always_inline]] inline bool eq_f32(Word x, Word y) { return f32(x) == f32(y); }
[[gnu::always_inline]] inline bool ne_f32(Word x, Word y) { return f32(x) != f32(y); }
[[gnu::always_inline]] inline bool lt_f32(Word x, Word y) { return f32(x) < f32(y); }
[[gnu::always_inline]] inline bool le_f32(Word x, Word y) { return f32(x) <= f32(y); }
[[gnu::always_inline]] inline bool eq_s32(Word x, Word y) { return x == y; }
[[gnu::always_inline]] inline bool ne_s32(Word x, Word y) { return x != y; }
[[gnu::always_inline]] inline bool lt_s32(Word x, Word y) { return s32(x) < s32(y); }
[[gnu::always_inline]] inline bool le_s32(Word x, Word y) { return s32(x) <= s32(y); }
[[gnu::always_inline]] inline bool ltu_s32(Word x, Word y) { return x < y; }

}  // namespace podsim::hw::bundle::vector::lane
