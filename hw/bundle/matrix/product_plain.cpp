// SPDX-License-Identifier: Apache-2.0
// Part of hw/bundle/matrix/product_kernels.h.
#include <algorithm>
#include <cstring>

#include "hw/bundle/matrix/product_kernels.h"

namespace podsim::hw::bundle::matrix {
namespace {

/// Vector types of four lanes. Compilers accept them for any host, and use vector instructions if the host has them.
constexpr int vector_lanes = 4;
using Floats = float __attribute__((vector_size(16)));
using Integers = std::int32_t __attribute__((vector_size(16)));

template <class Vector>
Vector load(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

void round(const vector::VectorRegister& x, OperandRegister& rounded) {
  Integers least = Integers{} + 255, most = {};
  for (std::size_t i = 0; i < vector::register_words; i += vector_lanes) {
    const Integers word = load<Integers>(&x.words[i]);
    const Integers is_nan = (word & 0x7fffffff) > 0x7f800000;
    const Integers number = word & ~is_nan;
    const Integers nearest = (number + 0x7fff + ((number >> 16) & 1)) & ~0xffff;
    const Integers value = (nearest & ~is_nan) | (is_nan & 0x7fc00000);
    const Integers magnitude = value & 0x7fffffff;
    const Integers exponent = (magnitude >> 23) - ((magnitude >> 23) == 0);
    const Integers is_zero = magnitude == 0;
    const Integers low = exponent | (is_zero & 255), high = exponent & ~is_zero;
    least = low < least ? low : least;
    most = high > most ? high : most;
    std::memcpy(&rounded.values[i], &value, sizeof value);
  }
  rounded.exponents = {std::min({least[0], least[1], least[2], least[3]}),
                       std::max({most[0], most[1], most[2], most[3]})};
}

constexpr int block_rows = 4, block_columns = 2 * vector_lanes;

/// Computes four rows by eight columns of sums.
void multiply_block(const float* lhs, const float* weights, std::uint32_t* result) {
  Floats sums[block_rows][2] = {};
  for (int k = 0; k < vector::lanes; ++k) {
    const auto w0 = load<Floats>(weights + k * WeightTile::strip_columns);
    const auto w1 = load<Floats>(weights + k * WeightTile::strip_columns + vector_lanes);
#pragma GCC unroll 4
    for (int m = 0; m < block_rows; ++m) {
      sums[m][0] += lhs[m * vector::lanes + k] * w0;
      sums[m][1] += lhs[m * vector::lanes + k] * w1;
    }
  }
#pragma GCC unroll 4
  for (int m = 0; m < block_rows; ++m) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const Floats sum = sums[m][half];
      const Integers is_nan = sum != sum;
      const Integers words = (load<Integers>(&sum) & ~is_nan) | (is_nan & 0x7fc00000);
      std::memcpy(result + m * vector::lanes + half * vector_lanes, &words, sizeof words);
    }
  }
}

void multiply(const OperandRegister& lhs, const WeightTile& weights, vector::VectorRegister& result) {
  for (int n = 0; n < vector::lanes; n += block_columns) {
    for (int m = 0; m < vector::sublanes; m += block_rows) {
      multiply_block(lhs.values.data() + m * vector::lanes, &weights.values[WeightTile::index(0, n)],
                     result.words.data() + m * vector::lanes + n);
    }
  }
}

}  // namespace

ProductCode plain_product_code() { return {"plain", round, multiply}; }

}  // namespace podsim::hw::bundle::matrix
