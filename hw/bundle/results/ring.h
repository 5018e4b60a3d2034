// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace podsim::hw::bundle::results {

/// The latest items of an endless sequence, indexed by their number in it. Keeps at least `capacity` items and
/// allocates only once.
template <class T>
class Ring {
 public:
  explicit Ring(std::int64_t capacity) : items_(std::bit_ceil(std::size_t(capacity))), mask_(items_.size() - 1) {}
  T& operator[](std::int64_t number) { return items_[std::size_t(number) & mask_]; }
  const T& operator[](std::int64_t number) const { return items_[std::size_t(number) & mask_]; }

 private:
  std::vector<T> items_;
  std::size_t mask_;
};

}  // namespace podsim::hw::bundle::results
