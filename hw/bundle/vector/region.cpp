// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/region.h"

#include <algorithm>

namespace podsim::hw::bundle::vector {

namespace {

/// Returns true if a row of the region overlaps [begin, end).
bool meets(const Region& region, std::uint64_t begin, std::uint64_t end) {
  // The first row that ends after `begin`; all further rows start later.
  std::uint64_t row = 0;
  if (begin >= region.start + region.words) {
    if (region.stride == 0) return false;
    row = (begin - region.start - region.words) / region.stride + 1;
  }
  return row < region.rows && region.row(row) < end;
}

}  // namespace

bool overlap(const Region& a, const Region& b) {
  if (a.empty() || b.empty() || a.end() <= b.start || b.end() <= a.start) return false;
  const Region& fewer = a.rows <= b.rows ? a : b;
  const Region& more = a.rows <= b.rows ? b : a;
  const std::uint64_t rows = fewer.stride == 0 ? 1 : fewer.rows;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (meets(more, fewer.row(row), fewer.row(row) + fewer.words)) return true;
  }
  return false;
}

}  // namespace podsim::hw::bundle::vector
