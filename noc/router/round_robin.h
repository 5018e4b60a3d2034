// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

namespace podsim::noc::router {

/// The first set bit of a non-empty mask at or after bit `pointer`, wrapping around to bit 0.
template <class Mask>
int round_robin_pick(Mask mask, int pointer) {
  assert(mask != 0);
  const Mask from_pointer = Mask(mask & Mask(~Mask(0) << pointer));
  return std::countr_zero(from_pointer != 0 ? from_pointer : mask);
}

/// The index after `index`, modulo `size`.
inline int round_robin_next(int index, int size) { return index + 1 == size ? 0 : index + 1; }

}  // namespace podsim::noc::router
