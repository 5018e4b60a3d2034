// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hw/isa/legality.h"

/// How registers and units are written in `.pasm` text.
namespace podsim::hw::isa::pasm {

struct RegisterName {
  RegisterFile file;
  int number;
  bool exists;  ///< false: "s40"
};
/// "s0", "v31", "vm2", "p7", and other numbers; nothing for any other word.
std::optional<RegisterName> register_of(std::string_view word);
int register_count(RegisterFile file);
/// "scalar register", "vector register", "vector mask", "predicate".
const char* kind_of_register(RegisterFile file);

/// "mxu0" to "mxu3", "xlu", "eup"; as Instruction::unit has it.
std::optional<int> unit_of(std::string_view word);
std::string unit_name(int unit);

/// Words that no label, constant or block may be called: registers, units, inf and nan.
bool is_reserved(std::string_view word);

/// How an operation is written: "v.add.f32 vD, vX, vY/literal[, vmM]".
std::string form(Opcode opcode);

/// Operations whose x, y and z stand in brackets.
constexpr bool has_address(Opcode opcode) {
  return opcode == Opcode::s_load || opcode == Opcode::s_store || opcode == Opcode::v_load ||
         opcode == Opcode::v_load_shuffle || opcode == Opcode::v_store || opcode == Opcode::v_store_shuffle;
}
/// Operations whose literal y is an f32.
bool takes_f32(Opcode opcode);

}  // namespace podsim::hw::isa::pasm
