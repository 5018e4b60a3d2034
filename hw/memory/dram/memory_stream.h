// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/access_pattern.h"
#include "hw/memory/dram/memory_request.h"

namespace podsim::hw::memory::dram {

/// The access of one DMA descriptor to the HBM.
struct MemoryStream {
  Direction direction = Direction::read;
  AccessPattern pattern;

  base::Bytes bytes() const { return pattern.bytes(); }
  static MemoryStream sequential(Direction direction, std::uint64_t base, base::Bytes bytes);
  static MemoryStream strided(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                              std::int64_t pitch);
  static MemoryStream scattered(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                                base::Bytes span, std::uint64_t seed);
};

/// Splits a stream into granules, in the order of its rows, each as long as its row and its interleave unit allow.
class StreamGranules {
 public:
  StreamGranules(const MemoryStream& stream, base::Bytes interleave);

  bool done() const { return row_ == rows_; }
  /// The next request, with tag 0. Must not be done.
  MemoryRequest request() const;
  void next();

 private:
  MemoryStream stream_;
  std::int64_t interleave_, rows_;
  std::int64_t row_ = 0;
  std::int64_t offset_ = 0;  ///< in the row
};

}  // namespace podsim::hw::memory::dram
