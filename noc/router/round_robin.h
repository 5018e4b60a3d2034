// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

namespace podsim::noc {

/// The first set bit of a non-empty mask from bit `pointer` on, beginning again at bit 0 after the last.
template <class Mask>
int round_robin_pick(Mask mask, int pointer) {
  assert(mask != 0);
  const Mask from_pointer = Mask(mask & Mask(~Mask(0) << pointer));
  return std::countr_zero(from_pointer != 0 ? from_pointer : mask);
}

/// The position after `index` of `size`.
inline int round_robin_next(int index, int size) { return index + 1 == size ? 0 : index + 1; }

}  // namespace podsim::noc
