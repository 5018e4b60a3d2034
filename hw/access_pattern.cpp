// SPDX-License-Identifier: Apache-2.0
#include "hw/access_pattern.h"

#include <algorithm>

namespace podsim::hw {
namespace {

/// A pseudo-random number for every (seed, index): the finaliser of SplitMix64 (Steele et al., 2014).
std::uint64_t drawn(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed + (index + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

AccessShape AccessShape::rows(base::Bytes row, std::int64_t pitch) {
  if (pitch == row.value()) return {};
  return {row, pitch, base::Bytes(0)};
}

AccessShape AccessShape::scattered(base::Bytes row, base::Bytes span) { return {row, 0, std::max(span, row)}; }

AccessPattern AccessPattern::scattered(std::uint64_t base, base::Bytes row, std::int64_t rows, base::Bytes span,
                                       std::uint64_t seed) {
  return {base, rows, row, 0, seed, std::max(span, row)};
}

AccessShape AccessPattern::shape() const {
  if (seed) return AccessShape::scattered(row_bytes, span);
  return stride == 0 ? AccessShape{} : AccessShape::rows(row_bytes, stride);
}

std::uint64_t AccessPattern::row_begin(std::int64_t r) const {
  if (!seed) return base + std::uint64_t(r * stride);
  const std::uint64_t places = std::uint64_t(span / row_bytes);
  return base + drawn(*seed, std::uint64_t(r)) % places * std::uint64_t(row_bytes.value());
}

}  // namespace podsim::hw
