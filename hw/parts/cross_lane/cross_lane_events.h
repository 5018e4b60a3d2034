// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/parts/counter.h"

namespace podsim::hw::parts::cross_lane {

/// What the cross-lane unit does.
struct Events {
  std::int64_t operations = 0;
  bool operator==(const Events&) const = default;

  /// Calls visit(its declaration, count of each of `events`...) for each count.
  template <class Visit, class... Of>
  static constexpr void for_each_count(const Visit& visit, Of&... events) {
    visit(Counter{"operations", "operations", "on a register each"}, events.operations...);
  }
};

}  // namespace podsim::hw::parts::cross_lane
