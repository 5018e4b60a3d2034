// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/parts/counter.h"

namespace podsim::hw::parts::mxu {

/// What the matrix units of a core do. Multiply-accumulates of all types are one count, of which those in s8 and f8 are
/// counted once more; on TPU v3 all are in bf16. For
/// a work of t weight tiles and r rows, with arrays of size x size cells that make p products of its type in a cycle:
///
///   multiply-accumulates   t * r * size^2                          with the padding of the weight tiles
///   cell cycles            t * ceil(round_up(r, 8) / p) * size^2   rows enter in whole registers
///   operand registers      t * ceil((round_up(r, 8) + size) / (8 * p)) * ceil(size / lanes)
struct Events {
  std::int64_t multiply_accumulates = 0, cell_cycles = 0, weight_tiles = 0, operand_registers = 0;
  std::int64_t s8_products = 0, f8_products = 0;
  bool operator==(const Events&) const = default;

  /// Calls visit(its declaration, count of each of `events`...) for each count.
  template <class Visit, class... Of>
  static constexpr void for_each_count(const Visit& visit, Of&... events) {
    visit(Counter{"multiply_accumulates", "operations", "of rows that are data"}, events.multiply_accumulates...);
    visit(Counter{"cell_cycles", "cycles", "in which a cell has an operand, rows padded to registers"},
          events.cell_cycles...);
    visit(Counter{"weight_tiles", "tiles", "of weights latched"}, events.weight_tiles...);
    visit(Counter{"operand_registers", "registers", "of rows and weights, VMEM to the arrays"},
          events.operand_registers...);
    visit(Counter{"s8_multiply_accumulates", "operations", "of these in s8"}, events.s8_products...);
    visit(Counter{"f8_multiply_accumulates", "operations", "of these in f8"}, events.f8_products...);
  }
};

}  // namespace podsim::hw::parts::mxu
