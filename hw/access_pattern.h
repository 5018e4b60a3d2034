// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"

namespace podsim::hw {

/// Bytes that a DMA touches at one of its ends: `rows` rows of `row_bytes` each, of which row r begins at byte
/// base + r * stride.
struct AccessPattern {
  std::uint64_t base = 0;
  std::int64_t rows = 1;
  base::Bytes row_bytes;
  std::int64_t stride = 0;
  bool operator==(const AccessPattern&) const = default;

  base::Bytes bytes() const { return row_bytes * rows; }
  static AccessPattern contiguous(std::uint64_t base, base::Bytes bytes) { return {base, 1, bytes, 0}; }
};

}  // namespace podsim::hw
