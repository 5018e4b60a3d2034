// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sw/kernels/operation.h"

namespace podsim::sw {

/// What is known of a scalar: some unknown value, by number, and a known distance from it. Root 0 is zero.
struct ScalarValue {
  int root = 0;
  std::int32_t offset = 0;
  bool operator==(const ScalarValue&) const = default;
};

/// Follows scalar registers through straight-line code: additions of literals and copies are seen through, everything
/// else makes an unknown value.
class ScalarValues {
 public:
  ScalarValue of(Register reg) const;
  ScalarValue of(const Operand& operand) const;
  /// After an operation.
  void perform(const Operation& operation);
  /// The register whose value on entry a root is, or nothing.
  std::optional<Register> entry_register(int root) const;
  /// The register that was first to hold a root.
  std::optional<Register> home(int root) const;

 private:
  int new_root(Register home, bool entry) const;

  struct Root {
    Register home;
    bool entry = false;
  };
  mutable std::unordered_map<int, ScalarValue> values_;  ///< by Register::number(), entered when first asked for
  mutable std::vector<Root> roots_{Root{}};
};

/// Where the memory operations of straight-line code go: values of their bases with their literal offsets, by the
/// operation's position; nothing for other operations and for offsets in registers.
struct Addresses {
  std::vector<std::optional<ScalarValue>> of;
  /// For code that is a loop's body, by root: how much further it is in the next iteration. Roots that are not there
  /// may be anything.
  std::unordered_map<int, std::int32_t> steps;
};
/// `inductions` gives the steps of registers that no operation changes, by Register::number().
Addresses find_addresses(const std::vector<Operation>& operations, const std::map<int, std::int32_t>& inductions = {});

/// Makes bases of memory operations the oldest register that holds their value but for a literal, so that what only
/// computed an address in between becomes needless.
void fold_addresses(std::vector<Operation>& operations);

}  // namespace podsim::sw
