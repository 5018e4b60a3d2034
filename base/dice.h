// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace podsim::base {

/// Random numbers that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// A number from low to high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + std::int64_t(engine_() % std::uint64_t(high - low + 1));
  }
  bool one_in(std::int64_t count) { return between(1, count) == 1; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace podsim::base
