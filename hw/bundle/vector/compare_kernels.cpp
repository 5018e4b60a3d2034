// SPDX-License-Identifier: Apache-2.0
// Part of hw/bundle/vector/kernel_variants.h.
#include <cassert>

#include "hw/bundle/vector/kernel_variants.h"
#include "hw/bundle/vector/lane_functions.h"

namespace podsim::hw::bundle::vector {

namespace {

using isa::Opcode;
using lane::Word;

/// d = mask and function(x[i], y[i]).
template <bool (*function)(Word, Word)>
[[gnu::always_inline]] inline void every_lane(MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
                                              const MaskRegister& mask) {
  constexpr int group = LaneBits::count;
  for (int w = 0; w < register_words / 64; ++w) {
    Word half[2] = {};
    for (int h = 0; h < 2; ++h) {
      const Word *a = x.words.data() + w * 64 + h * group, *b = y.words.data() + w * 64 + h * group;
      Word bits = 0;
      for (int i = 0; i < group; ++i) bits |= function(a[i], b[i]) ? lane_bits.bit[i] : 0;
      half[h] = bits;
    }
    d.bits[w] = mask.bits[w] & (half[0] | std::uint64_t(half[1]) << group);
  }
}

[[gnu::always_inline]] inline void compare(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x,
                                           const VectorRegister& y, const MaskRegister& mask) {
  switch (opcode) {
    case isa::Opcode::v_eq_f32:
      return every_lane<lane::eq_f32>(d, x, y, mask);
    case isa::Opcode::v_ne_f32:
      return every_lane<lane::ne_f32>(d, x, y, mask);
    case isa::Opcode::v_lt_f32:
      return every_lane<lane::lt_f32>(d, x, y, mask);
    case isa::Opcode::v_le_f32:
      return every_lane<lane::le_f32>(d, x, y, mask);
    case isa::Opcode::v_eq_s32:
      return every_lane<lane::eq_s32>(d, x, y, mask);
    case isa::Opcode::v_ne_s32:
      return every_lane<lane::ne_s32>(d, x, y, mask);
    case isa::Opcode::v_lt_s32:
      return every_lane<lane::lt_s32>(d, x, y, mask);
    case isa::Opcode::v_le_s32:
      return every_lane<lane::le_s32>(d, x, y, mask);
    case isa::Opcode::v_ltu_s32:
      return every_lane<lane::ltu_s32>(d, x, y, mask);
    default:
      assert(false);
  }
}

void plain(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
           const MaskRegister& mask) {
  compare(opcode, d, x, y, mask);
}
PODSIM_AVX2 void avx2(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
                      const MaskRegister& mask) {
  compare(opcode, d, x, y, mask);
}
PODSIM_AVX512 void avx512(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
                          const MaskRegister& mask) {
  compare(opcode, d, x, y, mask);
}

}  // namespace

const KernelVariants<decltype(vector_compare)> compare_variants{plain, avx2, avx512};

}  // namespace podsim::hw::bundle::vector
