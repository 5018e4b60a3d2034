// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/bundle/vector/vector_register.h"

/// The arithmetic of the systolic array (hw/bundle/matrix/matrix_unit.h), with the host's vector instructions.
namespace podsim::hw::bundle::matrix {

/// Range of the biased f32 exponents of some finite nonzero numbers; denormals count as 1. Infinities and NaNs widen
/// the range, which is safe. For no numbers, least > most.
struct ExponentRange {
  std::int32_t least = 255;
  std::int32_t most = 0;
  void include(const ExponentRange& other);
  bool operator==(const ExponentRange&) const = default;
};

/// Returns true if every product of a bf16 number of one range with one of the other is an f32, so that rounding does
/// not change it. The product of two 8-bit significands has 16 bits, which fit unless the product overflows (the
/// unbiased exponents add up to more than 126) or its last bit, 14 binary digits lower, is below f32's least denormal,
/// 2^-149.
constexpr bool products_are_exact(const ExponentRange& a, const ExponentRange& b) {
  constexpr std::int32_t bias = 127;
  return a.most + b.most <= 2 * bias + 126 && a.least + b.least >= 2 * bias - 149 + 14;
}

/// Eight rows of 128 bf16 numbers, stored as f32: row i, lane l at i * 128 + l.
struct alignas(64) OperandRegister {
  std::array<float, vector::register_words> values;
  ExponentRange exponents;
};

/// 128 x 128 weights in strips of 32 columns, so that a product reads them sequentially.
struct alignas(64) WeightTile {
  static constexpr int strip_columns = 32;
  /// Index in `values` of the weight of row k in column n.
  static constexpr std::size_t index(int k, int n) {
    return std::size_t((n / strip_columns * vector::lanes + k) * strip_columns + n % strip_columns);
  }
  std::array<float, vector::lanes * vector::lanes> values;
  ExponentRange exponents;

  /// Stores a plain tile's register, numbered 0..15 in push order: the first has rows 120..127, the last rows 0..7.
  void put_rows(int number, const OperandRegister& rows);
  /// Stores a transposed tile's register, pushed by columns: the first has columns 0..7. Lane k has weights of row k.
  void put_columns(int number, const OperandRegister& columns);
};

/// The arithmetic for one instruction set. All variants give the same bits.
struct ProductCode {
  const char* name;  ///< "plain", "avx2", "avx512"
  /// Rounds f32 to the nearest bf16, ties to even; NaN stays NaN.
  void (*round)(const vector::VectorRegister& x, OperandRegister& rounded);
  /// result[m][n] = +0 + lhs[m][0] * w[0][n] + ... + lhs[m][127] * w[127][n] in that order, every product and every sum
  /// rounded to f32 (nearest, ties to even); a NaN result is 0x7fc00000. Fuses multiply and add only if that gives the
  /// same bits.
  void (*multiply)(const OperandRegister& lhs, const WeightTile& weights, vector::VectorRegister& result);
};

/// Returns the variants that this host can run, the fastest last.
std::span<const ProductCode> product_codes();

}  // namespace podsim::hw::bundle::matrix
