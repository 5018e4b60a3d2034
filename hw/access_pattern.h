// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace podsim::hw {

/// Layout of a transfer's rows in a memory, apart from their base address and number. The cost per byte of a long
/// transfer depends on this alone.
struct AccessShape {
  base::Bytes row;         ///< contiguous bytes; 0 if the whole transfer is contiguous
  std::int64_t pitch = 0;  ///< bytes from the beginning of a row to that of the next
  base::Bytes span;        ///< if not 0: rows are scattered over this many bytes instead
  auto operator<=>(const AccessShape&) const = default;

  bool contiguous() const { return row == base::Bytes(0); }
  static AccessShape rows(base::Bytes row, std::int64_t pitch);
  static AccessShape scattered(base::Bytes row, base::Bytes span);
};

/// Bytes that a DMA touches at one of its ends: `rows` rows of `row_bytes` each. Row r begins at byte base + r *
/// stride. With a seed, it begins instead at a random multiple of the row's size within `span` bytes after base, as
/// when rows of an embedding table are looked up.
struct AccessPattern {
  std::uint64_t base = 0;
  std::int64_t rows = 1;
  base::Bytes row_bytes;
  std::int64_t stride = 0;
  std::optional<std::uint64_t> seed = std::nullopt;
  base::Bytes span{};
  bool operator==(const AccessPattern&) const = default;

  static AccessPattern contiguous(std::uint64_t base, base::Bytes bytes) { return {base, 1, bytes, 0}; }
  static AccessPattern scattered(std::uint64_t base, base::Bytes row, std::int64_t rows, base::Bytes span,
                                 std::uint64_t seed);

  base::Bytes bytes() const { return row_bytes * rows; }
  /// Shape of the pattern; contiguous if the stride is 0.
  AccessShape shape() const;
  /// Address of the first byte of row r.
  std::uint64_t row_begin(std::int64_t r) const;
};

}  // namespace podsim::hw
