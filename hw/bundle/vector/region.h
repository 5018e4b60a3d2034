// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::hw::bundle::vector {

/// Memory words covered by one side of a two-dimensional copy: `rows` runs of `words` words, `stride` words apart.
struct Region {
  std::uint64_t start = 0, words = 0, rows = 0, stride = 0;

  bool empty() const { return words == 0 || rows == 0; }
  std::uint64_t row(std::uint64_t number) const { return start + number * stride; }
  /// The first word after the region.
  std::uint64_t end() const { return empty() ? start : row(rows - 1) + words; }
};

/// Returns true if the regions have a word in common.
bool overlap(const Region& a, const Region& b);

}  // namespace podsim::hw::bundle::vector
