// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

/// What the vector opcodes do in one lane, on words. Inlined into loops that are compiled once per instruction set, so
/// nothing here branches, and floats are computed in the operations that IEEE 754 rounds exactly.
namespace podsim::hw::lane {

using Word = std::uint32_t;

inline constexpr Word quiet_nan = 0x7fc00000;

[[gnu::always_inline]] inline float f32(Word word) { return std::bit_cast<float>(word); }
[[gnu::always_inline]] inline std::int32_t s32(Word word) { return std::int32_t(word); }
/// The bits of a result; every NaN becomes the one NaN.
[[gnu::always_inline]] inline Word word(float value) { return value != value ? quiet_nan : std::bit_cast<Word>(value); }

[[gnu::always_inline]] inline Word add_f32(Word x, Word y) { return word(f32(x) + f32(y)); }
[[gnu::always_inline]] inline Word sub_f32(Word x, Word y) { return word(f32(x) - f32(y)); }
[[gnu::always_inline]] inline Word mul_f32(Word x, Word y) { return word(f32(x) * f32(y)); }

[[gnu::always_inline]] inline bool unordered(Word x, Word y) { return f32(x) != f32(x) || f32(y) != f32(y); }
/// Operands that compare equal differ at most in the sign of zero: +0 is the greater.
[[gnu::always_inline]] inline Word max_f32(Word x, Word y) {
  const Word greater = f32(x) > f32(y) ? x : f32(x) < f32(y) ? y : x & y;
  return unordered(x, y) ? quiet_nan : greater;
}
[[gnu::always_inline]] inline Word min_f32(Word x, Word y) {
  const Word less = f32(x) < f32(y) ? x : f32(x) > f32(y) ? y : x | y;
  return unordered(x, y) ? quiet_nan : less;
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

[[gnu::always_inline]] inline Word cvt_f32_s32(Word, Word y) {
  constexpr float limit = 0x1p31F;
  const bool inside = f32(y) >= -limit && f32(y) < limit;
  const Word converted = Word(std::int32_t(inside ? f32(y) : 0.0F));
  const Word saturated = f32(y) >= limit ? Word(INT32_MAX) : f32(y) < -limit ? Word(INT32_MIN) : 0;
  return inside ? converted : saturated;
}
[[gnu::always_inline]] inline Word cvt_s32_f32(Word, Word y) { return std::bit_cast<Word>(float(s32(y))); }

/// f32 rounded to the nearest bf16 (to even), as f32: half a unit of the upper half is added, a little less if the
/// upper half is even already. What goes beyond the largest bf16 carries into infinity.
[[gnu::always_inline]] inline Word round_bf16(Word, Word y) {
  const Word rounded = (y + 0x7fff + (y >> 16 & 1)) & 0xffff0000;
  return f32(y) != f32(y) ? quiet_nan : rounded;
}
/// Rows 2i and 2i + 1 of f32 as the low and high half of a word.
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

}  // namespace podsim::hw::lane
