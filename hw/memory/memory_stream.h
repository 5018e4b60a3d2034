// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hw/memory/memory_request.h"

namespace podsim::hw {

/// What one DMA descriptor does to the HBM: `rows` pieces of `row` contiguous bytes each. Row r begins at
/// base + r * pitch, or, with a seed, at a place of its own that is drawn from `span` bytes behind base, a multiple of
/// the row's size from there, as rows of an embedding table are looked up.
struct MemoryStream {
  Direction direction = Direction::read;
  std::uint64_t base = 0;
  base::Bytes row;
  std::int64_t rows = 1;
  std::int64_t pitch = 0;  ///< bytes from one row to the next
  std::optional<std::uint64_t> seed;
  base::Bytes span;

  base::Bytes bytes() const { return row * rows; }
  static MemoryStream sequential(Direction direction, std::uint64_t base, base::Bytes bytes);
  static MemoryStream strided(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                              std::int64_t pitch);
  static MemoryStream scattered(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                                base::Bytes span, std::uint64_t seed);
};

/// Cuts a stream into requests, granules: in the order of its rows, each as long as its row and its interleave unit
/// allow.
class GranuleCursor {
 public:
  GranuleCursor(const MemoryStream& stream, base::Bytes interleave);

  bool done() const { return row_ == stream_.rows; }
  /// Which the memory is asked for next, with tag 0; not when done.
  MemoryRequest request() const;
  void next();
  base::Bytes passed() const { return passed_; }

 private:
  std::uint64_t row_address() const;

  MemoryStream stream_;
  std::int64_t interleave_;
  std::int64_t row_ = 0;
  std::int64_t offset_ = 0;  ///< in the row
  base::Bytes passed_;
};

}  // namespace podsim::hw
