// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hw/isa/fixed_sizes.h"

namespace podsim::hw::bundle::vector {

inline constexpr int sublanes = isa::register_sublanes;
inline constexpr int lanes = isa::register_lanes;
/// Registers of a 128 x 128 tile: register r holds rows 8r to 8r + 7.
inline constexpr int tile_registers = lanes / sublanes;
inline constexpr int register_words = sublanes * lanes;

/// 8 sublanes x 128 lanes of 32 bits: word s * 128 + l is lane l of sublane s.
struct alignas(64) VectorRegister {
  std::array<std::uint32_t, register_words> words;
};

/// One bit per lane: bit l % 64 of word 2 s + l / 64 is lane l of sublane s.
struct alignas(64) MaskRegister {
  std::array<std::uint64_t, register_words / 64> bits;
  bool operator==(const MaskRegister&) const = default;
  static constexpr MaskRegister all() {
    MaskRegister mask{};
    mask.bits.fill(~std::uint64_t(0));
    return mask;
  }
};

}  // namespace podsim::hw::bundle::vector
