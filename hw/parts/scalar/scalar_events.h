// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hw/parts/counter.h"

namespace podsim::hw::parts::scalar {

/// What the scalar unit does within phases. The code between tiles is a time, not events (OpResult::control).
struct Events {
  base::Cycles cycles;
  bool operator==(const Events&) const = default;

  /// Calls visit(its declaration, count of each of `events`...) for each count.
  template <class Visit, class... Of>
  static constexpr void for_each_count(const Visit& visit, Of&... events) {
    visit(Counter{"cycles", "cycles", "of scalar code within phases"}, events.cycles...);
  }
};

}  // namespace podsim::hw::parts::scalar
