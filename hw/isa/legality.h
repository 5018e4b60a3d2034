// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/isa/bundle.h"

/// Legality of a bundle, with the location of a fault in it. Most callers use isa::problem() in hw/isa/encoding.h.
namespace podsim::hw::isa {

enum class RegisterFile : std::uint8_t { scalar, vector, mask, predicate };

/// "s1", "v2", "vm3", "p4".
std::string register_name(RegisterFile file, int number);

struct RegisterWrite {
  RegisterFile file;
  int number;
  bool operator==(const RegisterWrite&) const = default;
};
/// Returns the register that an operation writes: its destination, or the register that s_loop counts down.
std::optional<RegisterWrite> written_register(const Instruction& instruction);

/// Returns true if two operations of a bundle can both be performed: false if one is under @p and the other under @!p.
constexpr bool may_both_be_performed(Predicate a, Predicate b) { return a.reg != b.reg || a.negated == b.negated; }

struct Fault {
  enum class Part : std::uint8_t { operation, destination, x, y, z };
  Slot slot;
  Part part;                ///< part of the operation that is at fault
  std::string what;         ///< "writes s0, which always reads as zero"
  const char* remedy = "";  ///< advice to the user if the remedy is not obvious
};
/// Returns the first fault in the order of the slots. Does not allocate if there is none.
std::optional<Fault> find_fault(const Bundle& bundle);

/// "scalar0", "vector1", "load"
std::string_view to_string(Slot slot);

}  // namespace podsim::hw::isa
