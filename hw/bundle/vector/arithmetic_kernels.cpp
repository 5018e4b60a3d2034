// SPDX-License-Identifier: Apache-2.0
// Part of hw/bundle/vector/kernel_variants.h.
#include <cassert>

#include "hw/bundle/vector/kernel_variants.h"
#include "hw/bundle/vector/lane_functions.h"

namespace podsim::hw::bundle::vector {

namespace {

using isa::Opcode;
using lane::Word;

/// d[i] = function(x[i], y[i]) in every lane. d may be x or y.
template <Word (*function)(Word, Word)>
[[gnu::always_inline]] inline void every_lane(VectorRegister& d, const VectorRegister& x, const VectorRegister& y) {
  Word* to = d.words.data();
  const Word *a = x.words.data(), *b = y.words.data();
#pragma GCC ivdep
  for (int i = 0; i < register_words; ++i) to[i] = function(a[i], b[i]);
}

/// d = mask ? x : y. d may be x or y.
[[gnu::always_inline]] inline void select(VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
                                          const MaskRegister& mask) {
  constexpr int group = LaneBits::count;
  for (int g = 0; g < register_words / group; ++g) {
    const auto bits = Word(mask.bits[g / 2] >> (g % 2 * group));
    Word* to = d.words.data() + g * group;
    const Word *a = x.words.data() + g * group, *b = y.words.data() + g * group;
#pragma GCC ivdep
    for (int i = 0; i < group; ++i) {
      const Word all_bits_or_none = (bits & lane_bits.bit[i]) != 0 ? ~Word(0) : 0;
      to[i] = (a[i] & all_bits_or_none) | (b[i] & ~all_bits_or_none);
    }
  }
}

/// Sublanes `first` to `first` + 3 of d are the packed rows of x.
[[gnu::always_inline]] inline void pack_rows(VectorRegister& d, int first, const VectorRegister& x) {
  for (int s = 0; s < sublanes / 2; ++s) {
    Word* to = d.words.data() + (first + s) * lanes;
    const Word *even = x.words.data() + 2 * s * lanes, *odd = even + lanes;
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) to[l] = lane::pack_bf16(even[l], odd[l]);
  }
}

/// The rows of d are the unpacked sublanes `first` to `first` + 3 of y. d must not be y.
[[gnu::always_inline]] inline void unpack_rows(VectorRegister& d, const VectorRegister& y, int first) {
  for (int s = 0; s < sublanes / 2; ++s) {
    Word *even = d.words.data() + 2 * s * lanes, *odd = even + lanes;
    const Word* from = y.words.data() + (first + s) * lanes;
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) {
      const Word pair = from[l];
      even[l] = lane::unpack_even(pair);
      odd[l] = lane::unpack_odd(pair);
    }
  }
}

[[gnu::always_inline]] inline void pack(VectorRegister& d, const VectorRegister& x, const VectorRegister& y) {
  VectorRegister packed;
  pack_rows(packed, 0, x);
  pack_rows(packed, sublanes / 2, y);
  d = packed;
}

[[gnu::always_inline]] inline void unpack(VectorRegister& d, const VectorRegister& y, int first) {
  const VectorRegister packed = y;
  unpack_rows(d, packed, first);
}

[[gnu::always_inline]] inline void number_lanes(VectorRegister& d) {
  for (int i = 0; i < register_words; ++i) d.words[i] = i % lanes;
}

[[gnu::always_inline]] inline void number_sublanes(VectorRegister& d) {
  for (int i = 0; i < register_words; ++i) d.words[i] = i / lanes;
}

[[gnu::always_inline]] inline void in_all_lanes(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x,
                                                const VectorRegister& y) {
  switch (opcode) {
    case isa::Opcode::v_add_f32:
      return every_lane<lane::add_f32>(d, x, y);
    case isa::Opcode::v_sub_f32:
      return every_lane<lane::sub_f32>(d, x, y);
    case isa::Opcode::v_mul_f32:
      return every_lane<lane::mul_f32>(d, x, y);
    case isa::Opcode::v_max_f32:
      return every_lane<lane::max_f32>(d, x, y);
    case isa::Opcode::v_min_f32:
      return every_lane<lane::min_f32>(d, x, y);
    case isa::Opcode::v_add_s32:
      return every_lane<lane::add_s32>(d, x, y);
    case isa::Opcode::v_sub_s32:
      return every_lane<lane::sub_s32>(d, x, y);
    case isa::Opcode::v_mul_s32:
      return every_lane<lane::mul_s32>(d, x, y);
    case isa::Opcode::v_max_s32:
      return every_lane<lane::max_s32>(d, x, y);
    case isa::Opcode::v_min_s32:
      return every_lane<lane::min_s32>(d, x, y);
    case isa::Opcode::v_and:
      return every_lane<lane::and_bits>(d, x, y);
    case isa::Opcode::v_or:
      return every_lane<lane::or_bits>(d, x, y);
    case isa::Opcode::v_xor:
      return every_lane<lane::xor_bits>(d, x, y);
    case isa::Opcode::v_shl:
      return every_lane<lane::shl>(d, x, y);
    case isa::Opcode::v_shr:
      return every_lane<lane::shr>(d, x, y);
    case isa::Opcode::v_sar:
      return every_lane<lane::sar>(d, x, y);
    case isa::Opcode::v_mov:
    case isa::Opcode::v_splat:
      return every_lane<lane::second>(d, x, y);
    case isa::Opcode::v_lane:
      return number_lanes(d);
    case isa::Opcode::v_sublane:
      return number_sublanes(d);
    case isa::Opcode::v_cvt_f32_s32:
      return every_lane<lane::cvt_f32_s32>(d, x, y);
    case isa::Opcode::v_cvt_s32_f32:
      return every_lane<lane::cvt_s32_f32>(d, x, y);
    case isa::Opcode::v_round_bf16:
      return every_lane<lane::round_bf16>(d, x, y);
    case isa::Opcode::v_pack_bf16:
      return pack(d, x, y);
    case isa::Opcode::v_unpack_lo:
      return unpack(d, y, 0);
    case isa::Opcode::v_unpack_hi:
      return unpack(d, y, sublanes / 2);
    default:
      assert(false);
  }
}

[[gnu::always_inline]] inline void operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x,
                                             const VectorRegister& y, const MaskRegister& mask) {
  if (opcode == isa::Opcode::v_select) return select(d, x, y, mask);
  if (mask == MaskRegister::all()) return in_all_lanes(opcode, d, x, y);
  VectorRegister result;
  in_all_lanes(opcode, result, x, y);
  select(d, result, d, mask);
}

void plain(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
           const MaskRegister& mask) {
  operation(opcode, d, x, y, mask);
}
PODSIM_AVX2 void avx2(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
                      const MaskRegister& mask) {
  operation(opcode, d, x, y, mask);
}
PODSIM_AVX512 void avx512(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
                          const MaskRegister& mask) {
  operation(opcode, d, x, y, mask);
}

}  // namespace

const KernelVariants<decltype(vector_operation)> operation_variants{plain, avx2, avx512};

}  // namespace podsim::hw::bundle::vector
