// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <random>

#include "hw/bundle/vector/vector_register.h"

namespace podsim::hw::bundle {

/// Words on which vector operations have something to get wrong: the ends of f32 and int32, NaNs of both kinds,
/// denormals, ties of rounding, small numbers, few and many bits. The same seed gives the same words.
class RandomWords {
 public:
  explicit RandomWords(std::uint32_t seed) : random_(seed) {}

  std::uint32_t word() {
    switch (next() % 4) {
      case 0:
        return special();
      case 1:
        return std::bit_cast<std::uint32_t>(float(std::int32_t(next() % 4001) - 2000) / 16);
      case 2:
        return special() + next() % 5 - 2;
      default:
        return next();
    }
  }
  vector::VectorRegister vector() {
    vector::VectorRegister result;
    for (std::uint32_t& w : result.words) w = word();
    return result;
  }
  /// Numbers of moderate size, for sums that neither overflow nor vanish.
  vector::VectorRegister numbers() {
    vector::VectorRegister result;
    for (std::uint32_t& w : result.words) w = std::bit_cast<std::uint32_t>(float(std::int32_t(next())) * 0x1p-24F);
    return result;
  }
  vector::MaskRegister mask() {
    vector::MaskRegister result;
    for (std::uint64_t& bits : result.bits) bits = std::uint64_t(next()) << 32 | next();
    return result;
  }

 private:
  std::uint32_t special() {
    static constexpr std::uint32_t words[] = {
        0x00000000, 0x80000000,                          // zeros
        0x7f800000, 0xff800000,                          // infinities
        0x7fc00000, 0xffc00000, 0x7f800001, 0xffbfffff,  // quiet and signalling NaNs
        0x00000001, 0x80000001, 0x007fffff, 0x00800000,  // around the least normal number
        0x7f7fffff, 0xff7fffff, 0x7f7f8000, 0x7f7f7fff,  // largest, and the last that bf16 rounds down
        0x3f800000, 0xbf800000, 0x3f808000, 0x3f818000,  // one, ties of bf16
        0x4f000000, 0xcf000000, 0x4effffff, 0xcf000001,  // 2^31 as f32
        0x4b000001, 0x4b800001, 0xffffffff, 0x7fffffff,  // integers as f32, -1 and INT_MAX
    };
    return words[next() % std::size(words)];
  }
  std::uint32_t next() { return std::uint32_t(random_()); }
  std::mt19937 random_;
};

inline std::uint32_t& word_at(vector::VectorRegister& r, int sublane, int lane) {
  return r.words[std::size_t(sublane * vector::lanes + lane)];
}
inline std::uint32_t word_at(const vector::VectorRegister& r, int sublane, int lane) {
  return r.words[std::size_t(sublane * vector::lanes + lane)];
}

/// Returns true if a lane's bit is set, by the definition of MaskRegister.
inline bool lane_is_set(const vector::MaskRegister& mask, int sublane, int lane) {
  return (mask.bits[std::size_t(2 * sublane + lane / 64)] >> (lane % 64) & 1) != 0;
}

}  // namespace podsim::hw::bundle
