// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/isa/opcode.h"

/// Bundles, the VLIW instruction words of a core: nine slots, each with at most one operation and its operands.
/// encoding.h gives their binary form, opcode.h what the operations do.
namespace podsim::hw::isa {

/// A register number or a literal. A float literal is given by its bits.
struct Value {
  bool literal = false;
  std::int32_t value = 0;
  static constexpr Value reg(int number) { return {false, number}; }
  static constexpr Value of(std::int32_t value) { return {true, value}; }
  bool operator==(const Value&) const = default;
};

/// The operation is performed if p[reg] is set (clear, when negated).
struct Predicate {
  std::uint8_t reg = 0;
  bool negated = false;
  bool always() const { return reg == 0 && !negated; }
  bool operator==(const Predicate&) const = default;
};

/// Numbers of the units that operations push to and pop from. Matrix units come first: unit i is matrix unit i.
inline constexpr int max_matrix_units = 4;
inline constexpr int cross_lane_unit = 4;
inline constexpr int transcendental_unit = 5;
/// Units whose results `pop` takes. The path from vector to scalar unit comes after them, since s_pop alone takes its
/// words.
inline constexpr int popped_units = 6;
inline constexpr int scalar_path = 6;
inline constexpr int result_units = 7;

/// An operation with its operands; hw/isa/opcode.h gives their meaning. Fields that the opcode does not use are zero.
struct Instruction {
  Opcode opcode = Opcode::halt;
  Predicate predicate;
  std::uint8_t destination = 0;
  Value x, y, z;
  std::uint8_t mask = 0;
  std::uint8_t unit = 0;  ///< unit number for mxu_* (0..3) and pop (0..5)
  bool operator==(const Instruction&) const = default;
};

/// The slots of a bundle in the order of their encoding.
enum class Slot : std::uint8_t { scalar0, scalar1, vector0, vector1, load, store, push, pop, misc };
inline constexpr int slots = 9;
constexpr SlotKind kind(Slot slot) {
  constexpr SlotKind kinds[] = {SlotKind::scalar, SlotKind::scalar, SlotKind::vector, SlotKind::vector, SlotKind::load,
                                SlotKind::store,  SlotKind::push,   SlotKind::pop,    SlotKind::misc};
  return kinds[int(slot)];
}

/// The operations that issue in one cycle. Empty slots do nothing.
struct Bundle {
  std::array<std::optional<Instruction>, slots> slot;
  const std::optional<Instruction>& operator[](Slot s) const { return slot[std::size_t(s)]; }
  std::optional<Instruction>& operator[](Slot s) { return slot[std::size_t(s)]; }
  bool operator==(const Bundle&) const = default;
};

}  // namespace podsim::hw::isa
