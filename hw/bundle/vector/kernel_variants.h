// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/vector/vector_functions.h"

/// Attributes of functions compiled for instruction sets beyond the host's baseline. A kernel here is a loop that is
/// inlined into one function per instruction set and vectorised there.
#ifdef __x86_64__
#define PODSIM_AVX2 [[gnu::target("avx2")]]
#define PODSIM_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
#else
#define PODSIM_AVX2
#define PODSIM_AVX512
#endif

namespace podsim::hw::bundle::vector {

/// Table of 1 << i, since not every instruction set can shift each lane by a different amount.
struct LaneBits {
  static constexpr int count = 32;
  std::uint32_t bit[count];
  constexpr LaneBits() : bit() {
    for (int i = 0; i < count; ++i) bit[i] = std::uint32_t(1) << i;
  }
};
inline constexpr LaneBits lane_bits;

/// A kernel in the variants for all instruction sets. On hosts of other architectures the three are the same code.
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

}  // namespace podsim::hw::bundle::vector
