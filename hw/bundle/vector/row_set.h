// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hw/bundle/vector/vector_register.h"

namespace podsim::hw::bundle::vector {

/// The VMEM rows of a vector load or store, by sublane. They may be out of range until VmemGuard has checked them.
struct RowSet {
  std::array<std::int64_t, sublanes> row;

  static RowSet strided(std::int64_t base, std::int32_t stride) {
    RowSet set;
    for (std::int64_t i = 0; i < sublanes; ++i) set.row[std::size_t(i)] = base + i * stride;
    return set;
  }
  static RowSet shuffled(std::int64_t base, std::uint32_t nibbles) {
    RowSet set;
    for (int i = 0; i < sublanes; ++i) set.row[std::size_t(i)] = base + std::int64_t(nibbles >> (4 * i) & 15);
    return set;
  }
  bool operator==(const RowSet&) const = default;
};

}  // namespace podsim::hw::bundle::vector
