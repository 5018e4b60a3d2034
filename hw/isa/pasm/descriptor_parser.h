// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/pasm/cursor.h"
#include "hw/isa/pasm/string_table.h"

namespace podsim::hw::isa::pasm {

/// Reads the braces of a .dma directive, which hold the fields of the descriptor `name`.
DescriptorText parse_descriptor(Cursor& cursor, StringTable& strings, const Name& name);

std::string_view route_name(DmaRoute route);

}  // namespace podsim::hw::isa::pasm
