// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/vector_functions.h"

/// Attributes of a function that is compiled for an instruction set beyond the host's baseline. A kernel is a loop that
/// is inlined into one function per set and vectorised there.
#ifdef __x86_64__
#define PODSIM_AVX2 [[gnu::target("avx2")]]
#define PODSIM_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
#else
#define PODSIM_AVX2
#define PODSIM_AVX512
#endif

namespace podsim::hw {

/// Bit i, from a table: not every instruction set shifts every lane by another amount.
struct LaneBits {
  static constexpr int count = 32;
  std::uint32_t bit[count];
  constexpr LaneBits() : bit() {
    for (int i = 0; i < count; ++i) bit[i] = std::uint32_t(1) << i;
  }
};
inline constexpr LaneBits lane_bits;

/// One kernel for every instruction set. On hosts of another architecture the three are alike.
template <class Function>
struct KernelVariants {
  Function* plain;
  Function* avx2;
  Function* avx512;
};

extern const KernelVariants<decltype(vector_operation)> operation_variants;
extern const KernelVariants<decltype(vector_compare)> compare_variants;
extern const KernelVariants<decltype(transcendental_operation)> transcendental_variants;
extern const KernelVariants<decltype(cross_lane_operation)> cross_lane_variants;

}  // namespace podsim::hw
