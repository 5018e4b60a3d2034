// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::workloads::streams {

/// Draws from a discrete distribution in constant time (Walker 1977, tables made as by Vose 1991).
class AliasTable {
 public:
  /// Weights are at least 0, and one of them above; fewer than 2^32 of them.
  explicit AliasTable(const std::vector<double>& weights);

  /// The number of a weight, drawn with the 64 random bits.
  std::uint32_t draw(std::uint64_t bits) const {
    const auto slot = std::uint32_t((bits >> 32) * slots_.size() >> 32);
    return std::uint32_t(bits) < slots_[slot].threshold ? slot : slots_[slot].alias;
  }

 private:
  struct Slot {
    std::uint32_t threshold, alias;
  };
  std::vector<Slot> slots_;
};

}  // namespace podsim::workloads::streams
