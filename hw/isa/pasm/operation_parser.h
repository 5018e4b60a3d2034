// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/pasm/cursor.h"
#include "hw/isa/pasm/string_table.h"

namespace podsim::hw::isa::pasm {

/// Reads one operation with its predicate and operands: "@p1 v.add.f32 v1, v2, 1.5, vm3".
Operation parse_operation(Cursor& cursor, StringTable& strings);

/// Returns true for a word that is an operation or an empty slot: mnemonics, s.nop and v.nop.
bool is_mnemonic(std::string_view word);

}  // namespace podsim::hw::isa::pasm
