// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::mxu {

/// The products that arrays have, by the type of both factors. Every array multiplies bf16; a product of factors that
/// it has none for is made of passes in bf16 (sw/compiler/tiles/product_arithmetic.h).
enum class Product : std::uint8_t {
  bf16,
  s8,  ///< integers of 8 bits, signed or not
  f8   ///< floats of 8 bits
};

struct Parameters {                ///< [mxu]
  std::int64_t count = 0;          ///< per core
  std::int64_t size = 0;           ///< rows and columns of the systolic array
  std::int64_t bf16_products = 1;  ///< that a cell makes in a cycle
  std::int64_t s8_products = 0;    ///< likewise; 0: the array has none
  std::int64_t f8_products = 0;    ///< likewise
  std::int64_t weight_rows = 0;    ///< rows of weights that load in a cycle, at most `size`
  base::Cycles result_skew;        ///< last row of the array to first result register out
  std::int64_t operand_fifo = 0;   ///< registers waiting at the array input, LHS and weights each
  std::int64_t result_fifo = 0;    ///< registers in the array and its output FIFO

  /// Products of a type that a cell makes in a cycle; 0: none.
  std::int64_t products(Product of) const {
    return of == Product::s8 ? s8_products : of == Product::f8 ? f8_products : bf16_products;
  }
  /// Rows of a weight tile that shift in: `depth`, or all if that is 0.
  std::int64_t loaded_rows(std::int64_t depth) const { return depth == 0 ? size : std::min(depth, size); }
  /// One weight tile into the shadow registers.
  base::Cycles weight_load(std::int64_t depth = 0) const {
    return base::Cycles(base::divide_round_up(loaded_rows(depth), weight_rows));
  }
  /// First LHS row in to first result register out.
  base::Cycles first_result_latency() const { return base::Cycles(size) + result_skew; }

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::mxu
