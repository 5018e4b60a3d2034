// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/pasm/cursor.h"

namespace podsim::hw::isa::pasm {

bool is_data_directive(std::string_view directive);
/// Reads the data directive at the cursor with its arguments. Reads `.repeat` without its items, and does not read
/// `.end`.
DataItem parse_data(Cursor& cursor);

}  // namespace podsim::hw::isa::pasm
