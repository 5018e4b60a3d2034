// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/isa/bundle.h"

/// The six 16-bit immediates of a bundle and the 6-bit codes of literals that name them (isa/encoding.h).
namespace podsim::hw::isa {

inline constexpr int immediates = 6;

/// Immediates while a bundle's literals are placed one after the other.
class ImmediatePool {
 public:
  /// The code of a literal, which is placed if need be; nothing if there is no room left.
  std::optional<std::uint8_t> place(std::int32_t literal);
  const std::array<std::uint16_t, immediates>& values() const { return values_; }

 private:
  std::optional<int> single(std::uint16_t value);
  std::optional<int> pair(std::uint16_t low, std::uint16_t high);
  int free() const { return singles_from_ - pairs_to_; }

  std::array<std::uint16_t, immediates> values_{};
  int pairs_to_ = 0;               ///< pairs take the immediates below
  int singles_from_ = immediates;  ///< single ones take those from here on
};

/// The literal that a code from 32 on stands for.
std::int32_t literal_of(int code, const std::array<std::uint16_t, immediates>& values);

/// The first of a bundle's literals, in the order of the slots and x, y, z, that finds no room; nothing if all do.
struct LiteralPlace {
  Slot slot;
  int operand;  ///< 0 x, 1 y, 2 z
};
std::optional<LiteralPlace> first_that_does_not_fit(const Bundle& bundle);

}  // namespace podsim::hw::isa
