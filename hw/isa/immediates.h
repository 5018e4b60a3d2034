// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/isa/bundle.h"

/// The six 16-bit immediates of a bundle and the 6-bit codes of literals that refer to them (hw/isa/encoding.h).
namespace podsim::hw::isa {

inline constexpr int immediates = 6;

/// Allocates a bundle's immediates, literal by literal.
class ImmediatePool {
 public:
  /// Returns the code of a literal, allocating immediates if necessary. Returns std::nullopt if there is no room.
  std::optional<std::uint8_t> place(std::int32_t literal);
  const std::array<std::uint16_t, immediates>& values() const { return values_; }

 private:
  std::optional<int> single(std::uint16_t value);
  std::optional<int> pair(std::uint16_t low, std::uint16_t high);
  int free() const { return singles_from_ - pairs_to_; }

  std::array<std::uint16_t, immediates> values_{};
  int pairs_to_ = 0;               ///< pairs occupy the immediates below this index
  int singles_from_ = immediates;  ///< single values occupy the immediates from this index
};

/// Returns the literal of a code, which must be at least 32.
std::int32_t literal_of(int code, const std::array<std::uint16_t, immediates>& values);

/// An operand of a bundle that is a literal.
struct LiteralOperand {
  Slot slot;
  int operand;  ///< 0 x, 1 y, 2 z
};
/// Returns the first of a bundle's literals, in the order of the slots and x, y, z, that does not fit the immediates.
/// Returns std::nullopt if all fit.
std::optional<LiteralOperand> first_that_does_not_fit(const Bundle& bundle);

}  // namespace podsim::hw::isa
