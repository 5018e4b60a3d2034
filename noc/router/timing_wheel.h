// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "noc/router/router_parameters.h"

namespace podsim::noc::router {

/// Values due within a known span of cycles, in one list per cycle. The memory of the lists is reused.
template <class T>
class TimingWheel {
 public:
  /// Values may be due up to `span` cycles ahead.
  explicit TimingWheel(int span)
      : mask_(std::bit_ceil(std::uint64_t(span) + 1) - 1), slots_(mask_ + 1), occupied_(mask_ / 64 + 1) {}

  void push(Cycle due, const T& value) {
    const std::uint64_t slot = std::uint64_t(due) & mask_;
    slots_[slot].push_back(value);
    occupied_[slot / 64] |= std::uint64_t(1) << slot % 64;
    ++size_;
  }
  const std::vector<T>& due(Cycle now) const { return slots_[std::uint64_t(now) & mask_]; }
  void clear(Cycle now) {
    const std::uint64_t slot = std::uint64_t(now) & mask_;
    size_ -= slots_[slot].size();
    slots_[slot].clear();
    occupied_[slot / 64] &= ~(std::uint64_t(1) << slot % 64);
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// First cycle, not before `from`, in which something is due. The wheel must not be empty, and nothing may be
  /// overdue.
  Cycle next(Cycle from) const {
    assert(size_ > 0);
    std::uint64_t slot = std::uint64_t(from) & mask_;
    std::uint64_t ahead = 0;
    while (true) {
      const std::uint64_t bits = occupied_[slot / 64] >> slot % 64;
      if (bits != 0) return from + Cycle(ahead) + std::countr_zero(bits);
      const std::uint64_t step = std::min<std::uint64_t>(64 - slot % 64, mask_ + 1 - slot);
      ahead += step;
      slot = (slot + step) & mask_;
    }
  }
  template <class F>
  void for_each(F&& visit) const {
    for (const std::vector<T>& slot : slots_) {
      for (const T& value : slot) visit(value);
    }
  }

 private:
  std::uint64_t mask_;
  std::vector<std::vector<T>> slots_;
  std::vector<std::uint64_t> occupied_;
  std::size_t size_ = 0;
};

}  // namespace podsim::noc::router
