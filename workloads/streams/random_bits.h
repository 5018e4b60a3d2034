// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::workloads::streams {

/// 64 bits for a number, the same for the same number: the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
constexpr std::uint64_t random_bits(std::uint64_t number) {
  std::uint64_t bits = number * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// A sequence of random numbers that a seed determines.
class RandomSequence {
 public:
  explicit RandomSequence(std::uint64_t seed) : state_(random_bits(seed + 1)) {}

  std::uint64_t bits() { return random_bits(++state_); }
  /// A whole number in [0, below), with below < 2^32.
  std::uint32_t below(std::uint64_t below) { return std::uint32_t((bits() >> 32) * below >> 32); }
  /// In [0, 1).
  double real() { return double(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace podsim::workloads::streams
