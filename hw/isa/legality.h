// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/isa/bundle.h"

/// What makes a bundle illegal, by its place; isa::problem() in encoding.h is the question most ask.
namespace podsim::hw::isa {

enum class RegisterFile : std::uint8_t { scalar, vector, mask, predicate };

/// "s1", "v2", "vm3", "p4".
std::string register_name(RegisterFile file, int number);

struct RegisterWrite {
  RegisterFile file;
  int number;
  bool operator==(const RegisterWrite&) const = default;
};
/// The register that an operation writes: its destination, or the one that s_loop counts down.
std::optional<RegisterWrite> written_register(const Instruction& instruction);

/// Whether two operations of one bundle can be performed together: not if one is under @p and the other under @!p.
constexpr bool may_both_be_performed(Predicate a, Predicate b) { return a.reg != b.reg || a.negated == b.negated; }

struct Fault {
  enum class Part : std::uint8_t { operation, destination, x, y, z };
  Slot slot;
  Part part;                ///< of the operation that is at fault
  std::string what;         ///< "writes s0, which always reads as zero"
  const char* remedy = "";  ///< what to do about it, where that is not plain
};
/// The first fault in the order of the slots; costs no allocation when there is none.
std::optional<Fault> find_fault(const Bundle& bundle);

/// "scalar0", "vector1", "load"
std::string_view to_string(Slot slot);

}  // namespace podsim::hw::isa
