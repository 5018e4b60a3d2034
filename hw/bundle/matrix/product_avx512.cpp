// SPDX-License-Identifier: Apache-2.0
// Part of hw/bundle/matrix/product_kernels.h.
#include "hw/bundle/matrix/product_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define PODSIM_AVX512F __attribute__((target("avx512f")))

namespace podsim::hw::bundle::matrix {
namespace {

/// Computes eight rows by 32 columns of sums, which take 16 registers.
template <bool fused>
PODSIM_AVX512F void multiply_block(const float* lhs, const float* weights, std::uint32_t* result) {
  __m512 sums[vector::sublanes][2];
#pragma GCC unroll 8
  for (auto& row : sums) row[0] = row[1] = _mm512_setzero_ps();
  for (int k = 0; k < vector::lanes; ++k) {
    const __m512 w0 = _mm512_load_ps(weights + k * WeightTile::strip_columns),
                 w1 = _mm512_load_ps(weights + k * WeightTile::strip_columns + 16);
#pragma GCC unroll 8
    for (int m = 0; m < vector::sublanes; ++m) {
      const __m512 x = _mm512_set1_ps(lhs[m * vector::lanes + k]);
      if constexpr (fused) {
        sums[m][0] = _mm512_fmadd_ps(x, w0, sums[m][0]);
        sums[m][1] = _mm512_fmadd_ps(x, w1, sums[m][1]);
      } else {
        sums[m][0] = _mm512_add_ps(sums[m][0], _mm512_mul_ps(x, w0));
        sums[m][1] = _mm512_add_ps(sums[m][1], _mm512_mul_ps(x, w1));
      }
    }
  }
  const __m512i nan = _mm512_set1_epi32(0x7fc00000);
#pragma GCC unroll 8
  for (int m = 0; m < vector::sublanes; ++m) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const __m512 sum = sums[m][half];
      const __mmask16 is_nan = _mm512_cmp_ps_mask(sum, sum, _CMP_UNORD_Q);
      _mm512_store_si512(result + m * vector::lanes + half * 16,
                         _mm512_mask_mov_epi32(_mm512_castps_si512(sum), is_nan, nan));
    }
  }
}

template <bool fused>
PODSIM_AVX512F void multiply_blocks(const OperandRegister& lhs, const WeightTile& weights,
                                    vector::VectorRegister& result) {
  for (int n = 0; n < vector::lanes; n += WeightTile::strip_columns) {
    multiply_block<fused>(lhs.values.data(), &weights.values[WeightTile::index(0, n)], result.words.data() + n);
  }
}

void multiply(const OperandRegister& lhs, const WeightTile& weights, vector::VectorRegister& result) {
  if (products_are_exact(lhs.exponents, weights.exponents)) {
    multiply_blocks<true>(lhs, weights, result);
  } else {
    multiply_blocks<false>(lhs, weights, result);
  }
}

}  // namespace

std::optional<ProductCode> avx512_product_code() {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx2")) return {};
  return ProductCode{"avx512", round_avx2, multiply};
}

}  // namespace podsim::hw::bundle::matrix

#else

namespace podsim::hw::bundle::matrix {
std::optional<ProductCode> avx512_product_code() { return {}; }
}  // namespace podsim::hw::bundle::matrix

#endif
