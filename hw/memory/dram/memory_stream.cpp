// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_stream.h"

#include <algorithm>

namespace podsim::hw::memory::dram {

MemoryStream MemoryStream::sequential(Direction direction, std::uint64_t base, base::Bytes bytes) {
  return {direction, AccessPattern::contiguous(base, bytes)};
}

MemoryStream MemoryStream::strided(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                                   std::int64_t pitch) {
  return {direction, {base, rows, row, pitch}};
}

MemoryStream MemoryStream::scattered(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                                     base::Bytes span, std::uint64_t seed) {
  return {direction, AccessPattern::scattered(base, row, rows, span, seed)};
}

StreamGranules::StreamGranules(const MemoryStream& stream, base::Bytes interleave)
    : stream_(stream), interleave_(interleave.value()), rows_(stream.bytes().value() > 0 ? stream.pattern.rows : 0) {}

MemoryRequest StreamGranules::request() const {
  const std::uint64_t address = stream_.pattern.row_begin(row_) + std::uint64_t(offset_);
  const std::int64_t in_unit = interleave_ - std::int64_t(address % std::uint64_t(interleave_));
  return {stream_.direction, address, base::Bytes(std::min(stream_.pattern.row_bytes.value() - offset_, in_unit)), 0};
}

void StreamGranules::next() {
  offset_ += request().bytes.value();
  if (offset_ < stream_.pattern.row_bytes.value()) return;
  offset_ = 0;
  ++row_;
}

}  // namespace podsim::hw::memory::dram
