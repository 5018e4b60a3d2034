// SPDX-License-Identifier: Apache-2.0
// Part of hw/bundle/vector/kernel_variants.h.
#include <cassert>

#include "hw/bundle/vector/kernel_variants.h"
#include "hw/bundle/vector/transcendental_functions.h"

namespace podsim::hw::bundle::vector {

namespace {

using isa::Opcode;
using lane::Word;

/// d[i] = function(y[i]). d may be y.
template <Word (*function)(Word)>
[[gnu::always_inline]] inline void every_lane(VectorRegister& d, const VectorRegister& y) {
  Word* to = d.words.data();
  const Word* from = y.words.data();
#pragma GCC ivdep
  for (int i = 0; i < register_words; ++i) to[i] = function(from[i]);
}

[[gnu::always_inline]] inline void transcendental(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y) {
  switch (opcode) {
    case isa::Opcode::e_exp:
      return every_lane<lane::exp_f32>(d, y);
    case isa::Opcode::e_log:
      return every_lane<lane::log_f32>(d, y);
    case isa::Opcode::e_tanh:
      return every_lane<lane::tanh_f32>(d, y);
    case isa::Opcode::e_rsqrt:
      return every_lane<lane::rsqrt_f32>(d, y);
    case isa::Opcode::e_sqrt:
      return every_lane<lane::sqrt_f32>(d, y);
    case isa::Opcode::e_recip:
      return every_lane<lane::recip_f32>(d, y);
    default:
      assert(false);
  }
}

void plain(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y) { transcendental(opcode, d, y); }
PODSIM_AVX2 void avx2(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y) { transcendental(opcode, d, y); }
PODSIM_AVX512 void avx512(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y) {
  transcendental(opcode, d, y);
}

}  // namespace

const KernelVariants<decltype(transcendental_operation)> transcendental_variants{plain, avx2, avx512};

}  // namespace podsim::hw::bundle::vector
