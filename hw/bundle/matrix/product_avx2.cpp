// SPDX-License-Identifier: Apache-2.0
// Part of hw/bundle/matrix/product_kernels.h.
#include <algorithm>

#include "hw/bundle/matrix/product_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define PODSIM_AVX2_FMA __attribute__((target("avx2,fma")))

namespace podsim::hw::bundle::matrix {

PODSIM_AVX2_FMA void round_avx2(const vector::VectorRegister& x, OperandRegister& rounded) {
  const __m256i magnitude_bits = _mm256_set1_epi32(0x7fffffff), infinity = _mm256_set1_epi32(0x7f800000);
  const __m256i upper_half = _mm256_set1_epi32(~0xffff), one = _mm256_set1_epi32(1);
  const __m256i zero = _mm256_setzero_si256(), largest = _mm256_set1_epi32(255);
  __m256i least = largest, most = zero;
  for (std::size_t i = 0; i < vector::register_words; i += 8) {
    const __m256i word = _mm256_load_si256(reinterpret_cast<const __m256i*>(&x.words[i]));
    const __m256i is_nan = _mm256_cmpgt_epi32(_mm256_and_si256(word, magnitude_bits), infinity);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(word, 16), one);
    const __m256i raised = _mm256_add_epi32(_mm256_add_epi32(word, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i value =
        _mm256_blendv_epi8(_mm256_and_si256(raised, upper_half), _mm256_set1_epi32(0x7fc00000), is_nan);
    _mm256_store_ps(&rounded.values[i], _mm256_castsi256_ps(value));
    const __m256i magnitude = _mm256_and_si256(value, magnitude_bits);
    const __m256i exponent = _mm256_max_epi32(_mm256_srli_epi32(magnitude, 23), one);
    const __m256i is_zero = _mm256_cmpeq_epi32(magnitude, zero);
    least = _mm256_min_epi32(least, _mm256_or_si256(exponent, _mm256_and_si256(is_zero, largest)));
    most = _mm256_max_epi32(most, _mm256_andnot_si256(is_zero, exponent));
  }
  alignas(32) std::int32_t low[8], high[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(low), least);
  _mm256_store_si256(reinterpret_cast<__m256i*>(high), most);
  rounded.exponents = {*std::min_element(low, low + 8), *std::max_element(high, high + 8)};
}

namespace {

constexpr int block_rows = 4, block_columns = 16;

/// Computes four rows by 16 columns of sums, which take 8 of the 16 registers.
template <bool fused>
PODSIM_AVX2_FMA void multiply_block(const float* lhs, const float* weights, std::uint32_t* result) {
  __m256 sums[block_rows][2];
#pragma GCC unroll 8
  for (auto& row : sums) row[0] = row[1] = _mm256_setzero_ps();
  for (int k = 0; k < vector::lanes; ++k) {
    const __m256 w0 = _mm256_load_ps(weights + k * WeightTile::strip_columns),
                 w1 = _mm256_load_ps(weights + k * WeightTile::strip_columns + 8);
#pragma GCC unroll 8
    for (int m = 0; m < block_rows; ++m) {
      const __m256 x = _mm256_broadcast_ss(lhs + m * vector::lanes + k);
      if constexpr (fused) {
        sums[m][0] = _mm256_fmadd_ps(x, w0, sums[m][0]);
        sums[m][1] = _mm256_fmadd_ps(x, w1, sums[m][1]);
      } else {
        sums[m][0] = _mm256_add_ps(sums[m][0], _mm256_mul_ps(x, w0));
        sums[m][1] = _mm256_add_ps(sums[m][1], _mm256_mul_ps(x, w1));
      }
    }
  }
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
#pragma GCC unroll 8
  for (int m = 0; m < block_rows; ++m) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const __m256 sum = sums[m][half];
      const __m256 is_nan = _mm256_cmp_ps(sum, sum, _CMP_UNORD_Q);
      _mm256_store_si256(reinterpret_cast<__m256i*>(result + m * vector::lanes + half * 8),
                         _mm256_castps_si256(_mm256_blendv_ps(sum, nan, is_nan)));
    }
  }
}

template <bool fused>
PODSIM_AVX2_FMA void multiply_blocks(const OperandRegister& lhs, const WeightTile& weights,
                                     vector::VectorRegister& result) {
  for (int n = 0; n < vector::lanes; n += block_columns) {
    for (int m = 0; m < vector::sublanes; m += block_rows) {
      multiply_block<fused>(lhs.values.data() + m * vector::lanes, &weights.values[WeightTile::index(0, n)],
                            result.words.data() + m * vector::lanes + n);
    }
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

std::optional<ProductCode> avx2_product_code() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
  return ProductCode{"avx2", round_avx2, multiply};
}

}  // namespace podsim::hw::bundle::matrix

#else

namespace podsim::hw::bundle::matrix {
std::optional<ProductCode> avx2_product_code() { return {}; }
}  // namespace podsim::hw::bundle::matrix

#endif
