// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sw/codegen/registers/operation.h"

namespace podsim::sw::codegen::registers {

/// A scalar value, as an unknown root value (given by its number) plus a known offset. Root 0 is the value zero.
struct ScalarValue {
  int root = 0;
  std::int32_t offset = 0;
  bool operator==(const ScalarValue&) const = default;
};

/// Follows scalar registers through straight-line code. Copies and additions of known values keep the root; all other
/// operations make a new root.
class ScalarValues {
 public:
  ScalarValue of(Register reg) const;
  ScalarValue of(const Operand& operand) const;
  /// Updates the values after an operation.
  void perform(const Operation& operation);
  /// Returns the register that has the root as its value on entry, or std::nullopt.
  std::optional<Register> entry_register(int root) const;
  /// Returns the first register that held the root, or std::nullopt for root 0.
  std::optional<Register> home(int root) const;

 private:
  int new_root(Register home, bool entry) const;

  struct Root {
    Register home;
    bool entry = false;
  };
  mutable std::unordered_map<int, ScalarValue> values_;  ///< by Register::number(), inserted on first use
  mutable std::vector<Root> roots_{Root{}};
};

/// Addresses of the memory operations of straight-line code: the value of the base plus the literal offset, by the
/// operation's position. std::nullopt for other operations, and if the offset is in a register.
struct Addresses {
  std::vector<std::optional<ScalarValue>> of;
  /// For a loop body: the distance by which each root advances per iteration. Roots that are absent may change
  /// arbitrarily.
  std::unordered_map<int, std::int32_t> steps;
};
/// Finds the addresses. `inductions` gives the steps per iteration of registers that no operation changes, by
/// Register::number().
Addresses find_addresses(const std::vector<Operation>& operations, const std::map<int, std::int32_t>& inductions = {});

/// Replaces the base of each memory operation by the oldest register that differs from it only by a literal, so that
/// operations which only compute addresses become unnecessary.
void fold_addresses(std::vector<Operation>& operations);

}  // namespace podsim::sw::codegen::registers
