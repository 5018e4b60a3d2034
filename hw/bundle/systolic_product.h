// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/bundle/vector_register.h"

/// The arithmetic of the systolic array (hw/bundle/matrix_unit.h), by the host's vector instructions.
namespace podsim::hw {

/// Where the exponents of some finite nonzero numbers lie, as f32 stores them; denormals count as 1. Infinities and
/// NaNs widen it, which is safe. No numbers: least > most.
struct ExponentRange {
  std::int32_t least = 255;
  std::int32_t most = 0;
  void include(const ExponentRange& other);
  bool operator==(const ExponentRange&) const = default;
};

/// Whether every product of a bf16 number of one range with one of the other is a f32, so that rounding it changes
/// nothing: two significands of 8 bits have a product of 16, which fits unless the product overflows (exponents that
/// add up to more than 126 unbiased) or its last bit, 14 places below, is beyond f32's last denormal 2^-149.
constexpr bool products_are_exact(const ExponentRange& a, const ExponentRange& b) {
  constexpr std::int32_t bias = 127;
  return a.most + b.most <= 2 * bias + 126 && a.least + b.least >= 2 * bias - 149 + 14;
}

/// Eight rows of 128 bf16 numbers, kept as f32: row i, lane l at i * 128 + l.
struct alignas(64) OperandRegister {
  std::array<float, register_words> values;
  ExponentRange exponents;
};

/// 128 x 128 weights by strips of 32 columns, so that a product reads them one after the other.
struct alignas(64) WeightTile {
  static constexpr int strip_columns = 32;
  /// Where the weight of row k in column n stands.
  static constexpr std::size_t place(int k, int n) {
    return std::size_t((n / strip_columns * lanes + k) * strip_columns + n % strip_columns);
  }
  std::array<float, lanes * lanes> values;
  ExponentRange exponents;

  /// The tile's register number 0..15 in the order of the pushes: the first has rows 120..127, the last rows 0..7.
  void put_rows(int number, const OperandRegister& rows);
  /// The same for a transposed tile, pushed by columns: the first has columns 0..7, its lane k what meets row k.
  void put_columns(int number, const OperandRegister& columns);
};

/// One way to compute with the instructions of some hosts. All give the same bits.
struct ProductCode {
  const char* name;  ///< "plain", "avx2", "avx512"
  /// Rounds f32 to the nearest bf16, ties to even; NaN stays NaN.
  void (*round)(const VectorRegister& x, OperandRegister& rounded);
  /// result[m][n] = +0 + lhs[m][0] * w[0][n] + ... + lhs[m][127] * w[127][n] in that order, every product and every sum
  /// rounded to f32 (nearest, ties to even); a NaN result is 0x7fc00000. Fuses a product with its sum only where that
  /// gives the same bits.
  void (*multiply)(const OperandRegister& lhs, const WeightTile& weights, VectorRegister& result);
};

/// Those that this host can run, the fastest last.
std::span<const ProductCode> product_codes();

}  // namespace podsim::hw
