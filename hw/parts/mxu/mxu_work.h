// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/parts/mxu/mxu_parameters.h"

namespace podsim::hw::parts::mxu {

struct Unit;

/// Matmul work of one phase: `weight_tiles` weight tiles of the array's size are latched in sequence, and `rows` LHS
/// rows stream past each. Whole weight tiles are dealt out over the core's MXUs.
struct Work {
  using Of = Unit;
  std::int64_t weight_tiles = 0;
  std::int64_t rows = 0;
  Product product = Product::bf16;  ///< of a type that the array has
  std::int64_t depth = 0;           ///< rows of a weight tile that hold weights; 0: all
  bool operator==(const Work&) const = default;

  /// Calls visit(count of each of `works`...) for each count.
  template <class Visit, class... Works>
  static constexpr void for_each_count(const Visit& visit, Works&... works) {
    visit(works.weight_tiles...);
    visit(works.rows...);
  }
};

}  // namespace podsim::hw::parts::mxu
