// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/parts/counter.h"

namespace podsim::hw::parts::vector {

/// What the vector unit does, counted in operations on whole registers of sublanes x lanes.
struct Events {
  std::int64_t loads = 0, stores = 0, alu_operations = 0, transcendentals = 0;
  bool operator==(const Events&) const = default;

  /// Calls visit(its declaration, count of each of `events`...) for each count.
  template <class Visit, class... Of>
  static constexpr void for_each_count(const Visit& visit, Of&... events) {
    visit(Counter{"loads", "registers", "VMEM to register"}, events.loads...);
    visit(Counter{"stores", "registers", "register to VMEM"}, events.stores...);
    visit(Counter{"alu_operations", "operations", "of the ALUs, on a register each"}, events.alu_operations...);
    visit(Counter{"transcendentals", "operations", "of the transcendental unit, on a register each"},
          events.transcendentals...);
  }
};

}  // namespace podsim::hw::parts::vector
