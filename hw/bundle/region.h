// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::hw {

/// Words of a memory that one side of a two-dimensional copy covers: `rows` runs of `words`, `stride` apart.
struct Region {
  std::uint64_t start = 0, words = 0, rows = 0, stride = 0;

  bool empty() const { return words == 0 || rows == 0; }
  std::uint64_t row(std::uint64_t number) const { return start + number * stride; }
  /// The first word behind all of it.
  std::uint64_t end() const { return empty() ? start : row(rows - 1) + words; }
};

/// Whether a word belongs to both.
bool overlap(const Region& a, const Region& b);

}  // namespace podsim::hw
