// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hw/isa/legality.h"

/// Names of registers, units and operations in `.pasm` text.
namespace podsim::hw::isa::pasm {

struct RegisterName {
  RegisterFile file;
  int number;
  bool exists;  ///< false: "s40"
};
/// Reads "s0", "v31", "vm2", "p7", also with numbers out of range. Returns std::nullopt for other words.
std::optional<RegisterName> register_of(std::string_view word);
int register_count(RegisterFile file);
/// "scalar register", "vector register", "vector mask", "predicate".
const char* kind_of_register(RegisterFile file);

/// Reads "mxu0" to "mxu3", "xlu" or "eup" as a unit number, as in Instruction::unit.
std::optional<int> unit_of(std::string_view word);
std::string unit_name(int unit);

/// Returns true for words that cannot name labels, constants or blocks: registers, units, inf and nan.
bool is_reserved(std::string_view word);

/// Syntax of an operation: "v.add.f32 vD, vX, vY/literal[, vmM]".
std::string form(Opcode opcode);

/// Returns true for operations with x, y and z in brackets.
constexpr bool has_address(Opcode opcode) {
  return opcode == Opcode::s_load || opcode == Opcode::s_store || opcode == Opcode::v_load ||
         opcode == Opcode::v_load_shuffle || opcode == Opcode::v_store || opcode == Opcode::v_store_shuffle;
}
/// Returns true for operations with an f32 as literal y.
bool takes_f32(Opcode opcode);

}  // namespace podsim::hw::isa::pasm
