// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/memory_stream.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw {
namespace {

/// A number without pattern for every (seed, index): the finaliser of SplitMix64 (Steele et al., 2014).
std::uint64_t drawn(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed + (index + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

MemoryStream MemoryStream::sequential(Direction direction, std::uint64_t base, base::Bytes bytes) {
  return {direction, base, bytes, bytes.value() > 0 ? 1 : 0, 0, std::nullopt, base::Bytes(0)};
}

MemoryStream MemoryStream::strided(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                                   std::int64_t pitch) {
  return {direction, base, row, row.value() > 0 ? rows : 0, pitch, std::nullopt, base::Bytes(0)};
}

MemoryStream MemoryStream::scattered(Direction direction, std::uint64_t base, base::Bytes row, std::int64_t rows,
                                     base::Bytes span, std::uint64_t seed) {
  return {direction, base, row, row.value() > 0 ? rows : 0, 0, seed, std::max(span, row)};
}

GranuleCursor::GranuleCursor(const MemoryStream& stream, base::Bytes interleave)
    : stream_(stream), interleave_(interleave.value()) {
  assert(stream.rows == 0 || stream.row.value() > 0);
}

std::uint64_t GranuleCursor::row_address() const {
  if (!stream_.seed) return stream_.base + std::uint64_t(row_ * stream_.pitch);
  const std::uint64_t places = std::uint64_t(stream_.span / stream_.row);
  return stream_.base + drawn(*stream_.seed, std::uint64_t(row_)) % places * std::uint64_t(stream_.row.value());
}

MemoryRequest GranuleCursor::request() const {
  const std::uint64_t address = row_address() + std::uint64_t(offset_);
  const std::int64_t in_unit = interleave_ - std::int64_t(address % std::uint64_t(interleave_));
  return {stream_.direction, address, base::Bytes(std::min(stream_.row.value() - offset_, in_unit)), 0};
}

void GranuleCursor::next() {
  const base::Bytes bytes = request().bytes;
  passed_ += bytes;
  offset_ += bytes.value();
  if (offset_ < stream_.row.value()) return;
  offset_ = 0;
  ++row_;
}

}  // namespace podsim::hw
